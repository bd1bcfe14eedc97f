import { type LookupAddress, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Characters of a webhook's address at most. */
export const mostUrl = 2000;

/** All of IPv6 that is given out for the public internet. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an IP address is on the public internet: in no range that is private, reserved, or for use within
 * a machine or network, nor an IPv4 address in IPv6's clothes (RFC 6890 and IANA's registries, by ipaddr.js).
 */
export const isPublic = (address: string): boolean => {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(globalUnicast);
};

const isLoopback = (address: string): boolean =>
  isIP(address) !== 0 && ipaddr.parse(address).range() === 'loopback';

/** By the stack's option, addresses of this machine are allowed too: `http://localhost`, with any port. */
const localhostAllowed = (): boolean => process.env.WEBHOOKS_TO_LOCALHOST === 'true';

const isLocalhost = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && hostname === 'localhost';

/** Names within a machine or network (RFC 6761, RFC 6762, RFC 8375, and ICANN for `internal`). */
const localNames = /(^|\.)(localhost|local|internal|home\.arpa)$/;

/** What a URL’s host is without the brackets of IPv6, and without the dot that ends a whole name. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/**
 * Whether a text may be a webhook's address: HTTPS, without credentials, on port 443 or one from 1024 on,
 * at a name of the public internet or an address of it. Where the name leads is checked when it is called.
 */
export const isAllowedUrl = (text: string): boolean => {
  // The parser drops spaces and line ends, and takes `\` for `/`: what is called would not be what is shown.
  if (text.length > mostUrl || /[^\x21-\x7e]|\\/.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username || url.password || url.hash || !/^https?:\/\/[^/]/i.test(text)) return false;
  // An empty user is none to the parser, and is none of an address that somebody means.
  if (text.split('/')[2]?.includes('@')) return false;
  if (isLocalhost(url)) return localhostAllowed();
  const port = url.port === '' ? 443 : Number(url.port);
  if (url.protocol !== 'https:' || (port !== 443 && port < 1024)) return false;
  const host = hostOf(url);
  if (isIP(host) !== 0) return isPublic(host);
  return host.includes('.') && !localNames.test(host);
};

/** Thrown in place of a connection to where none may be made. */
export class AddressRefused extends Error {
  constructor() {
    super('the name leads to an address that may not be called');
    this.name = 'AddressRefused';
  }
}

/** Which addresses a URL's host may have. */
export const allowedAddress = (url: URL): ((address: string) => boolean) =>
  localhostAllowed() && isLocalhost(url) ? isLoopback : isPublic;

type Resolve = (
  name: string,
  options: { all: true; family?: number | 'IPv4' | 'IPv6'; hints?: number },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * A `lookup` for a socket: it resolves a name once, and gives the addresses only if every one of them may be
 * called. The socket connects to one of these, so that no later answer of the DNS counts.
 */
export const checkedLookup =
  (allowed: (address: string) => boolean, resolve: Resolve = lookup as Resolve): LookupFunction =>
  (name, options, done) => {
    const { family, hints } = options;
    const asked = { all: true as const, ...(family && { family }), ...(hints && { hints }) };
    resolve(name, asked, (error, addresses) => {
      if (error) return done(error, '');
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => allowed(address))) {
        return done(new AddressRefused(), '');
      }
      if (options.all) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
