import { type LookupAddress, promises } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';

export const mostEndpointCharacters = 2000;

/** All of IPv6 that is given out for the public internet. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an IP address is on the public internet: in no range that is private, reserved, or for use within
 * a machine or network, nor an IPv4 address that IPv6 wraps (RFC 6890 and IANA's registries, by ipaddr.js).
 */
export const isPublic = (address: string): boolean => {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(globalUnicast);
};

const isLoopback = (address: string): boolean =>
  isIP(address) !== 0 && ipaddr.parse(address).range() === 'loopback';

/** A stack option also allows this machine: `http://localhost`, with any port. */
const isLocalhostAllowed = (): boolean => process.env.WEBHOOKS_TO_LOCALHOST === 'true';

const isLocalhost = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && hostname === 'localhost';

/** Names within a machine or network (RFC 6761, RFC 6762, RFC 8375, and ICANN for `internal`). */
const localNames = /(^|\.)(localhost|local|internal|home\.arpa)$/;

/** The DNS has no longer names, and no longer labels between their dots (RFC 1035, 2.3.4). */
const mostNameCharacters = 253;
const label = /^[a-z0-9_-]{1,63}$/;

/** Whether the DNS may have this name, with a dot in it. */
const isName = (host: string): boolean =>
  host.length <= mostNameCharacters &&
  host.includes('.') &&
  host.split('.').every((one) => label.test(one));

/** The host of a URL, without the brackets of IPv6, and without the dot that ends a whole name. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/**
 * Whether a text may be a webhook's address: HTTPS, without credentials, on port 443 or a port from 1024 on, at a name or
 * an address of the public internet. Where the name leads is checked when it is called.
 */
export const isAllowedUrl = (text: string): boolean => {
  // The parser drops spaces and line ends, and takes `\` for `/`: what is called would not be what is shown.
  if (text.length > mostEndpointCharacters || /[^\x21-\x7e]|\\/.test(text) || !URL.canParse(text))
    return false;
  const url = new URL(text);
  if (url.username || url.password || !/^https?:\/\/[^/]/i.test(text)) return false;
  // Not even an empty user or fragment is allowed. The parser drops it, so the text has to be searched.
  if (text.includes('#') || text.split(/[/?]/)[2]?.includes('@')) return false;
  if (isLocalhost(url)) return isLocalhostAllowed();
  const port = url.port === '' ? 443 : Number(url.port);
  if (url.protocol !== 'https:' || (port !== 443 && port < 1024)) return false;
  const host = hostOf(url);
  if (isIP(host) !== 0) return isPublic(host);
  return isName(host) && !localNames.test(host);
};

/** Thrown instead of connecting to an address that is not allowed. */
export class AddressRefusedError extends Error {
  constructor() {
    super('the name leads to an address that may not be called');
    this.name = 'AddressRefusedError';
  }
}

/** Which addresses a URL's host may have. */
export const allowedAddress = (url: URL): ((address: string) => boolean) =>
  isLocalhostAllowed() && isLocalhost(url) ? isLoopback : isPublic;

/** All addresses of a name. */
type Resolve = (name: string) => Promise<LookupAddress[]>;

/** The second try takes twice as long: a name that nobody answers for fails within seven seconds. */
const dnsTimes = { timeout: 2000, tries: 2 };

/**
 * Milliseconds to wait for the IPv6 addresses once the IPv4 addresses are known. Some name servers never answer for IPv6,
 * and Lambda functions cannot use it.
 */
const ipv6WaitMs = 500;

/**
 * Asks the DNS itself. The system's lookup takes a thread, of which there are few: names that nobody answers for
 * would keep the lookups of all other webhooks waiting.
 */
export const resolveByDns =
  (dns = new promises.Resolver(dnsTimes)): Resolve =>
  async (name) => {
    const [query4, query6] = [dns.resolve4(name), dns.resolve6(name)];
    const limit6 = query4.then(
      () => setTimeout(ipv6WaitMs, []),
      () => query6,
    );
    const results = await Promise.allSettled([query4, Promise.race([query6, limit6])]);
    const [v4, v6] = results;
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
    // IPv4 first: Lambda functions have no IPv6.
    return results.flatMap((result, i) =>
      result.status === 'rejected'
        ? []
        : result.value.map((address) => ({ address, family: i === 0 ? 4 : 6 })),
    );
  };

const resolveBySystem: Resolve = (name) => promises.lookup(name, { all: true });

/** How a URL's host is looked up. `localhost` is no name of the DNS. */
export const resolveOf = (url: URL, dns?: promises.Resolver): Resolve =>
  isLocalhost(url) ? resolveBySystem : resolveByDns(dns);

/**
 * A `lookup` for a socket: it resolves a name once, and gives the addresses only if every one of them may be
 * called. The socket connects to one of these, so that no later answer of the DNS counts.
 */
export const checkedLookup =
  (allowed: (address: string) => boolean, resolve: Resolve): LookupFunction =>
  (name, options, callback) => {
    const check = (addresses: LookupAddress[]) => {
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => allowed(address))) {
        return callback(new AddressRefusedError(), '');
      }
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    };
    resolve(name).then(check, (error) => callback(error, ''));
  };
