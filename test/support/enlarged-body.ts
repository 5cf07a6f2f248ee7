/** The payload of a block, so many bytes longer by fields that are not read. */
export function enlargedBody(body: Uint8Array, bytes: number): Buffer {
  const filler = Buffer.alloc(bytes, '"0123456789abcdef",');
  return Buffer.concat([
    body.subarray(0, -1),
    Buffer.from(',"more":['),
    filler.subarray(0, -(bytes % 19) - 1),
    Buffer.from(']}'),
  ]);
}
