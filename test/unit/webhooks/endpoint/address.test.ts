import { isIP } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { issueDetails } from '../../../../lib/schema/issues.ts';
import {
  AddressRefusedError,
  checkedLookup,
  isAllowedUrl,
  isPublic,
  mostEndpointCharacters,
  resolveByDns,
  resolveOf,
} from '../../../../lib/webhooks/endpoint/address.ts';
import { webhookInput } from '../../../../lib/webhooks/webhook.ts';
import { fakeDns } from './fake-dns.ts';

/** Of each range that is not the public internet, the first address, the last, and one beside it that is public. */
const ranges: [what: string, inside: string, beside?: string][] = [
  ['this network (RFC 1122)', '0.0.0.0 0.255.255.255', '1.0.0.0'],
  ['private (RFC 1918)', '10.0.0.0 10.255.255.255', '9.255.255.255'],
  ['private (RFC 1918)', '172.16.0.0 172.31.255.255', '172.32.0.0'],
  ['private (RFC 1918)', '192.168.0.0 192.168.255.255', '192.169.0.0'],
  ['carriers’ NAT (RFC 6598)', '100.64.0.0 100.127.255.255', '100.128.0.0'],
  ['loopback (RFC 1122)', '127.0.0.0 127.0.0.1 127.255.255.255', '128.0.0.0'],
  ['link-local (RFC 3927)', '169.254.0.0 169.254.169.254 169.254.255.255', '169.255.0.0'],
  ['protocol assignments (RFC 6890)', '192.0.0.0 192.0.0.255', '192.0.1.0'],
  ['documentation (RFC 5737)', '192.0.2.0 198.51.100.255 203.0.113.1', '203.0.114.0'],
  ['6to4 relays (RFC 7526)', '192.88.99.0 192.88.99.255', '192.88.100.0'],
  ['benchmarks (RFC 2544)', '198.18.0.0 198.19.255.255', '198.20.0.0'],
  ['multicast (RFC 5771)', '224.0.0.0 239.255.255.255', '223.255.255.255'],
  ['reserved (RFC 1112), and broadcast', '240.0.0.0 255.255.255.254 255.255.255.255'],
  ['unspecified and loopback (RFC 4291)', ':: ::1'],
  ['IPv4-compatible (RFC 4291)', '::8.8.8.8 ::127.0.0.1'],
  ['IPv4-mapped (RFC 4291)', '::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:808:808'],
  ['IPv4-translated (RFC 2765)', '::ffff:0:8.8.8.8'],
  ['NAT64 (RFC 6052, RFC 8215)', '64:ff9b::10.0.0.1 64:ff9b::8.8.8.8 64:ff9b:1::1'],
  ['discard (RFC 6666)', '100:: 100::ffff'],
  ['protocols and Teredo (RFC 2928, 4380)', '2001:: 2001::1 2001:1ff::1', '2001:200::1'],
  ['documentation (RFC 3849)', '2001:db8:: 2001:db8:ffff::1', '2001:db9::1'],
  ['documentation (RFC 9637)', '3fff::1 3fff:fff::1'],
  ['6to4 (RFC 3056), to private addresses too', '2002:: 2002:a00:1::1 2002:808:808::1', '2003::1'],
  ['segment routing (RFC 9602)', '5f00::1'],
  ['unique local (RFC 4193)', 'fc00:: fd00:ec2::254 fdff::1'],
  ['link-local (RFC 4291)', 'fe80:: fe80::1 febf::1'],
  ['site-local (RFC 3879)', 'fec0:: feff::1'],
  ['multicast (RFC 4291)', 'ff00:: ff02::1 ffff::1'],
  ['not given out by IANA', '1::1 4000::1 e000::1'],
];

describe('addresses that are not on the public internet', () => {
  test.each(ranges)('%s: %s are refused, %s is not', (_what, inside, beside) => {
    expect(inside.split(' ').filter(isPublic)).toEqual([]);
    if (beside) expect([beside, isPublic(beside)]).toEqual([beside, true]);
  });

  test('what is no address is none of the internet', () => {
    expect(['', 'localhost', '8.8.8', '010.0.0.1', 'fe80::1%eth0'].filter(isPublic)).toEqual([]);
    expect(['8.8.8.8', '2606:4700:4700::1111'].filter(isPublic)).toHaveLength(2);
  });
});

/** A name of so many characters. */
const nameOf = (length: number) => `${'a.'.repeat(length).slice(0, length - 4)}b.cd`;

describe('addresses that a webhook may have', () => {
  test.each([
    [
      'of the DNS',
      'EXAMPLE.com. xn--bcher-kva.example localhost.example.com 10.example.com a_b.-c.example',
    ],
    ['with an address', '8.8.8.8 [2606:4700:4700::1111]:8443'],
    ['with the longest name', `${nameOf(253)} ${nameOf(253)}. ${'a'.repeat(63)}.example`],
    ['on port 443 or from 1024 on', 'example.com:443 example.com:1024 example.com:65535'],
  ])('hosts %s', (_what, hosts) => {
    for (const host of hosts.split(' ')) {
      expect([host, isAllowedUrl(`https://${host}/`)]).toEqual([host, true]);
    }
  });

  test.each([
    ['that the DNS can’t have', 'a..b .example.com example.com.. . a!b.example *.example.com'],
    ['with a name that is too long', `${nameOf(254)} ${nameOf(254)}. ${'a'.repeat(64)}.example`],
    ['of this machine', 'localhost LOCALHOST localhost. a.localhost'],
    ['of a network', 'intranet printer.local api.internal metadata.google.internal nas.home.arpa'],
    ['with a private IPv4 address', '127.0.0.1 127.0.0.1. 169.254.169.254 10.1.2.3:8443'],
    [
      'in another spelling',
      '127.1 2130706433 0x7f.0.0.1 0177.0.0.1 0 %31%32%37.0.0.1 ①②⑦.0.0.1 127。0。0。1',
    ],
    [
      'with one in IPv6',
      '[::1] [0:0:0:0:0:0:0:1] [::ffff:7f00:1] [64:ff9b::7f00:1] [fe80::1%25eth0]',
    ],
    ['with credentials, also empty', 'a:b@example.com a@example.com @example.com :@example.com'],
    ['taken for another', 'example.com@10.0.0.1 10.0.0.1\\@example.com example.com#@example.com'],
    [
      'on another port',
      'example.com:22 example.com:80 example.com:1023 example.com:65536 example.com:-1',
    ],
    ['with letters that the parser changes', 'bücher.example exa\tmple.com'],
  ])('no host %s', (_what, hosts) => {
    const allowed = hosts.split(' ').filter((host) => isAllowedUrl(`https://${host}/`));
    expect(allowed).toEqual([]);
  });

  const longest = `https://example.com/${'a'.repeat(mostEndpointCharacters - 20)}`;
  test.each([
    [
      'a path',
      ['', '/hooks/me@example.com', '?owner=me@example.com', '/?a=%23b'],
      ['/é', '\\', '/ ', '/\n'],
    ],
    ['no #part, not even an empty one', ['/'], ['/#part', '/#', '#']],
    ['2,000 characters', [longest.slice(19)], [`${longest.slice(19)}a`]],
  ])('%s: %j, and not %j', (_what, allowed, refused) => {
    const isAllowed = (part: string) => isAllowedUrl(`https://example.com${part}`);
    expect([...allowed, ...refused].filter(isAllowed)).toEqual(allowed);
  });

  test('of HTTPS, and of nothing that the parser would complete', () => {
    const urls = [
      'http://example.com/',
      'ftp://example.com/',
      'file:///etc/passwd',
      'javascript:alert(1)',
    ];
    const incomplete = [
      '',
      'https:',
      'https://',
      '//example.com/',
      'example.com',
      'https:example.com',
    ];
    const changed = ['https:/example.com/', 'https:\\\\example.com/', ' https://example.com/'];
    expect([...urls, ...incomplete, ...changed].filter(isAllowedUrl)).toEqual([]);
  });

  test('by the stack’s option http://localhost too, and nothing else', () => {
    vi.stubEnv('WEBHOOKS_TO_LOCALHOST', 'true');
    onTestFinished(() => void vi.unstubAllEnvs());
    const allowed = ['http://localhost:3000/', 'http://localhost/', 'https://example.com/'];
    const refused = [
      'https://localhost/',
      'http://127.0.0.1/',
      'http://a@localhost/',
      'http://example.com/',
    ];
    expect([...allowed, ...refused].filter(isAllowedUrl)).toEqual(allowed);
  });
});

test('whoever sends another is told the whole rule, or that it is too long, and nothing of where it leads', () => {
  const told = (url: string) => issueDetails(webhookInput.safeParse({ url }).error!);
  const message =
    'must be an https address on the public internet, on port 443 or from 1024 on, without user name, password and #part';
  for (const url of ['http://example.com/', 'https://10.0.0.1/', 'https://a:b@example.com/x']) {
    expect(told(url)).toEqual([{ path: 'url', message }]);
  }
  const tooLong = { path: 'url', message: 'must have at most 2000 characters' };
  expect(told(`https://example.com/${'a'.repeat(mostEndpointCharacters)}`)).toEqual([tooLong]);
});

describe('a name', () => {
  const lookedUp = (addresses: string[], all = true) =>
    new Promise((resolve) => {
      const found = addresses.map((address) => ({ address, family: isIP(address) }));
      checkedLookup(isPublic, async () => found)('hooks.example.com', { all }, (error, given) =>
        resolve(error ?? given),
      );
    });

  test('that leads to the internet is given its addresses', async () => {
    const found = await lookedUp(['8.8.8.8', '2606:4700::1']);
    expect(found).toMatchObject([{ address: '8.8.8.8', family: 4 }, { family: 6 }]);
    expect(await lookedUp(['8.8.8.8', '8.8.4.4'], false)).toBe('8.8.8.8');
  });

  test.each([
    [['127.0.0.1']],
    [['8.8.8.8', '10.0.0.1']],
    [['8.8.8.8', '::1']],
    [['::ffff:8.8.8.8']],
    [[]],
  ])('that leads to %j is refused whole', async (addresses) => {
    expect(await lookedUp(addresses)).toBeInstanceOf(AddressRefusedError);
    expect(await lookedUp(addresses, false)).toBeInstanceOf(AddressRefusedError);
  });
});

describe('the DNS', () => {
  const v4 = { address: '8.8.8.8', family: 4 };
  const v6 = { address: '2600::1', family: 6 };
  const name = 'hooks.example.com';

  test.each([
    ['has both', ['8.8.8.8'], ['2600::1'], [v4, v6]],
    ['has no IPv6', ['8.8.8.8'], 'ENODATA', [v4]],
    ['has no IPv4', 'ENODATA', ['2600::1'], [v6]],
    // The resolver itself would wait for seconds.
    ['gets no answer for IPv6', ['8.8.8.8'], 'silence', [v4]],
  ] as const)('of a name that %s, tells what there is', async (_what, a, aaaa, expected) => {
    const { resolver, asked } = fakeDns((_name, type) => (type === 'A' ? a : aaaa));
    expect(await resolveByDns(resolver)(name)).toEqual(expected);
    expect(asked).toEqual([`A ${name}`, `AAAA ${name}`]);
  });

  test('of a name that has no addresses, tells nothing', async () => {
    const { resolver } = fakeDns((_name, type) => (type === 'A' ? 'ENOTFOUND' : 'ESERVFAIL'));
    await expect(resolveByDns(resolver)(name)).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  test('is asked for names of the internet, and not for localhost', async () => {
    const { resolver, asked } = fakeDns(() => ['8.8.8.8']);
    const found = await resolveOf(new URL('http://localhost:3000/'), resolver)('localhost');
    expect(['127.0.0.1', '::1']).toEqual(expect.arrayContaining(found.map((one) => one.address)));
    expect(asked).toEqual([]);
    await resolveOf(new URL(`https://${name}/`), resolver)(name);
    expect(asked).toHaveLength(2);
  });
});
