// Pages of this server as documents. The one place where text becomes HTML in the browser: what comes here was escaped by the server.

const policy = globalThis.trustedTypes?.createPolicy('explorer', { createHTML: text => text });

/** @param text of a page that this server sent */
export function parsed(text) {
  return new DOMParser().parseFromString(policy ? policy.createHTML(text) : text, 'text/html');
}
