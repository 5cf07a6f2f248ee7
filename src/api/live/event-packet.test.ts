import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventPacket } from './event-packet.ts';

test('an event is one text for a client that polls, and one frame with the same text for one with a WebSocket', () => {
  const { text, options } = eventPacket(['address-stx-balance:SP1', 'SP1'], '{"balance":"5"}');
  assert.equal(text, '2["address-stx-balance:SP1","SP1",{"balance":"5"}]');
  assert.equal(options.wsPreEncodedFrame.length, 1, 'one piece is one write');
  const [frame] = options.wsPreEncodedFrame;
  assert.deepEqual(frame?.subarray(0, 2), Buffer.of(0x81, 51));
  assert.equal(frame?.toString('utf8', 2), `4${text}`);
});

test('the length of a frame is that of its bytes, in 1, 3 or 9 bytes', () => {
  const withoutPayload = '42["b",""]'.length;
  for (const [bytes, head] of [
    [125, [0x81, 125]],
    [126, [0x81, 126, 0, 126]],
    [0xffff, [0x81, 126, 0xff, 0xff]],
    [0x10000, [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]],
  ] as const) {
    // The character of 3 bytes counts as those.
    const { text, options } = eventPacket(['b'], JSON.stringify(`€${'x'.repeat(bytes - withoutPayload - 3)}`));
    const [frame] = options.wsPreEncodedFrame;
    assert.deepEqual([...(frame?.subarray(0, head.length) ?? [])], head);
    assert.equal(frame?.length, head.length + bytes);
    assert.equal(frame?.toString('utf8', head.length), `4${text}`);
  }
});
