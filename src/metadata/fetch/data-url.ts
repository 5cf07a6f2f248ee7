interface DataUrl {
  readonly bytes: Uint8Array;
  /** As it was written, such as `application/json`; `text/plain` if the URI has no type. */
  readonly mime: string;
}

const BASE64 = /; *base64$/i;
const ASCII_WHITESPACE = /[\t\n\f\r ]/g;

/** Content of a `data:` URL by the rules of the Fetch standard ("data: URL processor"); undefined when it breaks them. */
export function parseDataUrl(url: string): DataUrl | undefined {
  const text = URL.parse(url)?.href.split('#', 1)[0] ?? '';
  const comma = text.indexOf(',');
  if (!text.startsWith('data:') || comma < 0) return undefined;
  const head = text.slice('data:'.length, comma).trim();
  const body = percentDecode(text.slice(comma + 1));
  const bytes = BASE64.test(head) ? forgivingBase64(Buffer.from(body).toString('latin1')) : body;
  const mime = head.replace(BASE64, '');
  return bytes && { bytes, mime: mime === '' || mime.startsWith(';') ? `text/plain${mime}` : mime };
}

/** `%41` becomes the byte 0x41; an invalid triple stays as it is, characters as UTF-8. */
function percentDecode(text: string): Uint8Array {
  const input = Buffer.from(text);
  const output = Buffer.allocUnsafe(input.length);
  let length = 0;
  for (let at = 0; at < input.length; at++) {
    const digits = input[at] === 0x25 ? input.toString('latin1', at + 1, at + 3) : '';
    const escaped = /^[0-9a-f]{2}$/i.test(digits);
    output[length++] = escaped ? Number.parseInt(digits, 16) : (input[at] ?? 0);
    if (escaped) at += 2;
  }
  return output.subarray(0, length);
}

/** Base64 with white space and without padding allowed; undefined for anything else that is not base64. */
function forgivingBase64(text: string): Uint8Array | undefined {
  let digits = text.replace(ASCII_WHITESPACE, '');
  if (digits.length % 4 === 0) digits = digits.replace(/={1,2}$/, '');
  if (digits.length % 4 === 1 || !/^[A-Za-z0-9+/]*$/.test(digits)) return undefined;
  return Buffer.from(digits, 'base64');
}
