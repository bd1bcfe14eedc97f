import type { IncomingMessage } from 'node:http';

/** The address in a request line. */
export interface RequestTarget {
  /** The path as it was sent: percent-encoded, and beginning with the API's stage. */
  path: string;
  /** Decoded. */
  query: [name: string, value: string][];
}

/** The characters of a path and a query in RFC 3986; others have to be percent-encoded. */
const uriCharacters = /^[\w.~:/?[\]@!$&'()*+,;=%-]*$/;

/**
 * Reads a request line's address. Undefined for an address that is not of RFC 3986's characters, or whose query has a `%`
 * that begins no escape or escapes that are not UTF-8.
 */
export const readTarget = (url: string): RequestTarget | undefined => {
  // A client that takes the gateway for a proxy sends the whole URL, with the host (RFC 9112, 3.2.2).
  const target = url.replace(/^https?:\/\/[^/?]*/i, '');
  if (!uriCharacters.test(target)) return undefined;
  const [path = ''] = target.split('?', 1);
  try {
    return { path, query: readQuery(target.slice(path.length + 1)) };
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
};

/** A semicolon separates parameters as `&` does: so says the documentation of API Gateway. */
const readQuery = (query: string): [string, string][] =>
  query
    .split(/[&;]/)
    .filter(Boolean)
    .map((pair) => {
      const [name = ''] = pair.split('=', 1);
      return [decode(name), decode(pair.slice(name.length + 1))];
    });

const decode = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));

/** Whether a request has exactly one `Host`, and no `Expect` but `100-continue` (RFC 9110, 7.2 and 10.1.1). */
export const hasValidHostAndExpect = ({ headers, rawHeaders }: IncomingMessage): boolean => {
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host');
  return hosts.length === 1 && (headers.expect ?? '100-continue').toLowerCase() === '100-continue';
};
