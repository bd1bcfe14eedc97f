import type { IncomingMessage } from 'node:http';

/** What a request line asks for, still percent-encoded in the path, decoded in the query. */
export interface RequestTarget {
  /** With the stage, as it was sent. */
  path: string;
  query: [name: string, value: string][];
}

/** The characters of a path and a query in RFC 3986; others have to be percent-encoded. */
const allowed = /^[\w.~:/?[\]@!$&'()*+,;=%-]*$/;

/**
 * Reads a request line's address. Undefined for one that is not of RFC 3986's characters, or whose query has a `%` that
 * begins no escape or escapes that are not UTF-8.
 */
export const readTarget = (url: string): RequestTarget | undefined => {
  // Clients of a proxy send it whole, with the host (RFC 9112, 3.2.2).
  const target = url.replace(/^https?:\/\/[^/?]*/i, '');
  if (!allowed.test(target)) return undefined;
  const [path = ''] = target.split('?', 1);
  try {
    return { path, query: readQuery(target.slice(path.length + 1)) };
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
};

/** API Gateway takes a semicolon for another `&`, as its documentation says. */
const readQuery = (query: string): [string, string][] =>
  query
    .split(/[&;]/)
    .filter(Boolean)
    .map((pair) => {
      const [name = ''] = pair.split('=', 1);
      return [decoded(name), decoded(pair.slice(name.length + 1))];
    });

const decoded = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));

/** Whether a request names one Host, and expects nothing but what HTTP has for it (RFC 9110, 7.2 and 10.1.1). */
export const isPlain = ({ headers, rawHeaders }: IncomingMessage): boolean => {
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host');
  return hosts.length === 1 && (headers.expect ?? '100-continue').toLowerCase() === '100-continue';
};
