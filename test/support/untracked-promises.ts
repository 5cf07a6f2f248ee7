/**
 * Loaded before the tests (`node --import`). node:test follows every promise, so that it can name the test in which an error was
 * thrown that nobody awaits. In tests that await as much as ours this takes a third of the time. Without it such an error fails its process.
 */
import asyncHooks from 'node:async_hooks';

const { createHook } = asyncHooks;
const idle: asyncHooks.AsyncHook = { enable: () => idle, disable: () => idle };
asyncHooks.createHook = () => idle;
await import('node:test');
asyncHooks.createHook = createHook;
