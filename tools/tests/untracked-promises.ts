/**
 * Loaded before the tests (`node --import`). node:test follows every asynchronous resource, so that it can name the test in which an error was
 * thrown that no one awaits. To follow promises too takes a third of the time of tests that await as much as ours, so it follows all but these:
 * suites, timers and sockets. An error behind a promise then belongs to no test, and fails its file (worker.ts).
 */
import asyncHooks from 'node:async_hooks';

const { createHook } = asyncHooks;
asyncHooks.createHook = options => createHook({ ...options, trackPromises: false });
await import('node:test');
asyncHooks.createHook = createHook;
