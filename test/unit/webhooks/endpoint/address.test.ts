import { isIP } from 'node:net';
import { describe, expect, test } from 'vitest';
import { issueDetails } from '../../../../lib/schema/issues.ts';
import {
  AddressRefusedError,
  checkedLookup,
  isAllowedUrl,
  isPublic,
  mostUrlCharacters,
  resolveByDns,
  resolveOf,
} from '../../../../lib/webhooks/endpoint/address.ts';
import { webhookInput } from '../../../../lib/webhooks/webhook.ts';
import { FakeDns } from './fake-dns.ts';

/** Of each range that is not the public internet, the first address, the last, and one beside it that is public. */
const ranges: [what: string, inside: string[], beside?: string][] = [
  ['this network (RFC 1122)', ['0.0.0.0', '0.255.255.255'], '1.0.0.0'],
  ['private (RFC 1918)', ['10.0.0.0', '10.255.255.255'], '9.255.255.255'],
  ['private (RFC 1918)', ['172.16.0.0', '172.31.255.255'], '172.32.0.0'],
  ['private (RFC 1918)', ['192.168.0.0', '192.168.255.255'], '192.169.0.0'],
  ['carriers’ NAT (RFC 6598)', ['100.64.0.0', '100.127.255.255'], '100.128.0.0'],
  ['loopback (RFC 1122)', ['127.0.0.0', '127.0.0.1', '127.255.255.255'], '128.0.0.0'],
  [
    'link-local (RFC 3927), and where clouds tell credentials',
    ['169.254.0.0', '169.254.169.254', '169.254.255.255'],
    '169.255.0.0',
  ],
  ['protocol assignments (RFC 6890)', ['192.0.0.0', '192.0.0.255'], '192.0.1.0'],
  ['documentation (RFC 5737)', ['192.0.2.0', '198.51.100.255', '203.0.113.1'], '203.0.114.0'],
  ['6to4 relays (RFC 7526)', ['192.88.99.0', '192.88.99.255'], '192.88.100.0'],
  ['benchmarks (RFC 2544)', ['198.18.0.0', '198.19.255.255'], '198.20.0.0'],
  ['multicast (RFC 5771)', ['224.0.0.0', '239.255.255.255'], '223.255.255.255'],
  ['reserved (RFC 1112), and broadcast', ['240.0.0.0', '255.255.255.254', '255.255.255.255']],
  ['unspecified and loopback (RFC 4291)', ['::', '::1']],
  ['IPv4-compatible (RFC 4291)', ['::8.8.8.8', '::127.0.0.1']],
  [
    'IPv4-mapped (RFC 4291)',
    ['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:8.8.8.8', '::ffff:808:808'],
  ],
  ['IPv4-translated (RFC 2765)', ['::ffff:0:8.8.8.8']],
  ['NAT64 (RFC 6052, RFC 8215)', ['64:ff9b::10.0.0.1', '64:ff9b::8.8.8.8', '64:ff9b:1::1']],
  ['discard (RFC 6666)', ['100::', '100::ffff']],
  [
    'protocol assignments and Teredo (RFC 2928, RFC 4380)',
    ['2001::', '2001::1', '2001:1ff::1'],
    '2001:200::1',
  ],
  [
    'documentation (RFC 3849, RFC 9637)',
    ['2001:db8::', '2001:db8:ffff::1', '3fff::1', '3fff:fff::1'],
    '2001:db9::1',
  ],
  [
    '6to4 (RFC 3056), to private addresses too',
    ['2002::', '2002:a00:1::1', '2002:808:808::1'],
    '2003::1',
  ],
  ['segment routing (RFC 9602)', ['5f00::1']],
  [
    'unique local (RFC 4193), and where clouds tell credentials',
    ['fc00::', 'fd00:ec2::254', 'fdff::1'],
  ],
  ['link-local (RFC 4291)', ['fe80::', 'fe80::1', 'febf::1']],
  ['site-local (RFC 3879)', ['fec0::', 'feff::1']],
  ['multicast (RFC 4291)', ['ff00::', 'ff02::1', 'ffff::1']],
  ['not given out by IANA', ['1::1', '4000::1', 'e000::1']],
];

describe('addresses that are not on the public internet', () => {
  test.each(ranges)('%s: %j are refused, %s is not', (_what, inside, beside) => {
    expect(inside.filter(isPublic)).toEqual([]);
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
  const longest = `https://example.com/${'a'.repeat(mostUrlCharacters - 20)}`;
  test.each([
    'https://example.com',
    'https://example.com/hooks?key=1%20b',
    'https://example.com?owner=me@example.com',
    'https://example.com/hooks/me@example.com',
    'https://EXAMPLE.com./hooks',
    'https://xn--bcher-kva.example/',
    'https://example.com:443/',
    'https://example.com:1024/',
    'https://example.com:65535/',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]:8443/',
    'https://localhost.example.com/',
    'https://10.example.com/',
    'https://a_b.-c.example/',
    `https://${nameOf(253)}/`,
    `https://${nameOf(253)}./`,
    `https://${'a'.repeat(63)}.example/`,
    'https://example.com/?a=%23b',
    longest,
  ])('%s', (url) => {
    expect(isAllowedUrl(url)).toBe(true);
  });

  test.each([
    // Not HTTPS, or nothing that leads anywhere.
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https:',
    'https://',
    '//example.com/',
    'example.com',
    '',
    'https://intranet/',
    // Names that the DNS can't have.
    'https://a..b/',
    'https://.example.com/',
    'https://example.com../',
    'https://./',
    `https://${nameOf(254)}/`,
    `https://${nameOf(254)}./`,
    `https://${'a'.repeat(64)}.example/`,
    'https://a!b.example/',
    'https://*.example.com/',
    // This machine and networks, by name.
    'http://localhost:3000/',
    'https://localhost/',
    'https://LOCALHOST/',
    'https://localhost./',
    'https://a.localhost/',
    'https://printer.local/',
    'https://api.internal/',
    'https://metadata.google.internal/',
    'https://nas.home.arpa/',
    // Spellings of one IPv4 address that is refused.
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.0.0.1/',
    'https://017700000001/',
    'https://0177.0.0.1/',
    'https://127.0.0.1./',
    'https://%31%32%37.0.0.1/',
    'https://①②⑦.0.0.1/',
    'https://127。0。0。1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://0/',
    'https://10.1.2.3:8443/',
    // … and in IPv6.
    'https://[::1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[0:0:0:0:0:FFFF:7F00:0001]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[::127.0.0.1]/',
    'https://[fe80::1%25eth0]/',
    // Credentials, also empty ones, and what readers may take for the host.
    'https://user:word@example.com/',
    'https://user@example.com/',
    'https://@example.com/',
    'https://:@example.com/',
    'https://@example.com?owner=me',
    'https://example.com@10.0.0.1/',
    'https://10.0.0.1\\@example.com/',
    'https:\\\\example.com/',
    // What the parser would drop or add.
    'https:example.com',
    'https:/example.com/',
    ' https://example.com/',
    'https://example.com/ ',
    'https://exa\tmple.com/',
    'https://example.com/\n',
    'https://example.com/#part',
    'https://example.com/#',
    'https://example.com#',
    'https://example.com#@example.com/',
    'https://example.com/é',
    'https://bücher.example/',
    // Ports of other protocols, and none.
    'https://example.com:22/',
    'https://example.com:25/',
    'https://example.com:80/',
    'https://example.com:1023/',
    'https://example.com:0/',
    'https://example.com:65536/',
    'https://example.com:-1/',
    `${longest}a`,
  ])('not %s', (url) => {
    expect(isAllowedUrl(url)).toBe(false);
  });

  test('by the stack’s option http://localhost too, and nothing else', async () => {
    process.env.WEBHOOKS_TO_LOCALHOST = 'true';
    try {
      const allowed = ['http://localhost:3000/', 'http://localhost/', 'https://example.com/'];
      const refused = [
        'https://localhost/',
        'http://127.0.0.1/',
        'http://localhost.example/',
        'http://a@localhost/',
        'http://example.com/',
      ];
      expect([...allowed, ...refused].filter(isAllowedUrl)).toEqual(allowed);
    } finally {
      delete process.env.WEBHOOKS_TO_LOCALHOST;
    }
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
  expect(told(`https://example.com/${'a'.repeat(mostUrlCharacters)}`)).toEqual([tooLong]);
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
    const found = [
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1', family: 6 },
    ];
    expect(await lookedUp(['8.8.8.8', '2606:4700::1'])).toEqual(found);
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
  const v4 = (address: string) => ({ address, family: 4 });
  const v6 = (address: string) => ({ address, family: 6 });
  const name = 'hooks.example.com';
  const publicly = (type: 'A' | 'AAAA') => (type === 'A' ? ['8.8.8.8'] : ['2600::1']);

  test('is asked for both kinds of addresses, and for nothing but the name', async () => {
    const dns = await FakeDns.start((_name, type) => publicly(type));
    const resolve = resolveByDns(dns.resolver());
    expect(await resolve(name)).toEqual([v4('8.8.8.8'), v6('2600::1')]);
    // The dot that ends a whole name.
    expect(await resolve(`${name}.`)).toEqual([v4('8.8.8.8'), v6('2600::1')]);
    expect(new Set(dns.asked)).toEqual(new Set([`A ${name}`, `AAAA ${name}`]));
  });

  const alias = { alias: 'lb.example.net', of: ['8.8.8.8', '10.0.0.1'] };
  test.each([
    ['has no IPv6', ['8.8.8.8'], [], [v4('8.8.8.8')]],
    ['has no IPv4', [], ['2600::1'], [v6('2600::1')]],
    ['is an alias', alias, { ...alias, of: [] }, [v4('8.8.8.8'), v4('10.0.0.1')]],
    ['fails for IPv6', ['8.8.8.8'], 'failure', [v4('8.8.8.8')]],
  ] as const)('of a name that %s, tells what there is', async (_what, a, aaaa, expected) => {
    const dns = await FakeDns.start(
      (_name, type) => structuredClone(type === 'A' ? a : aaaa) as [],
    );
    expect(await resolveByDns(dns.resolver())(name)).toEqual(expected);
  });

  test.each([
    ['is unknown', 'unknown', 'ENOTFOUND'],
    ['has no addresses', [], 'ENODATA'],
    ['fails', 'failure', 'ESERVFAIL'],
    ['gets no answer', 'silence', 'ETIMEOUT'],
  ] as const)('of a name that %s, tells nothing', async (_what, answer, code) => {
    const dns = await FakeDns.start(() => answer as 'unknown');
    await expect(resolveByDns(dns.resolver(100))(name)).rejects.toMatchObject({ code });
  });

  test('of a name that gets no answer for IPv6, soon tells what there is', async () => {
    const dns = await FakeDns.start((_name, type) => (type === 'A' ? ['8.8.8.8'] : 'silence'));
    const from = Date.now();
    expect(await resolveByDns(dns.resolver())(name)).toEqual([v4('8.8.8.8')]);
    // The resolver itself would wait for a minute.
    expect(Date.now() - from).toBeLessThan(50_000);
  });

  test('tells of one name, however many others get no answer', async () => {
    const dns = await FakeDns.start((asked, type) => (asked === name ? publicly(type) : 'silence'));
    const resolver = dns.resolver();
    const resolve = resolveByDns(resolver);
    const others = Array.from({ length: 20 }, (_, i) => resolve(`silent${i}.example.com`));
    const settled = Promise.allSettled(others);
    expect(await resolve(name)).toContainEqual(v4('8.8.8.8'));
    // The others were still waiting for theirs.
    resolver.cancel();
    const reasons = (await settled).map((one) => one.status === 'rejected' && one.reason.code);
    expect(new Set(reasons)).toEqual(new Set(['ECANCELLED']));
  });

  test('is asked for names of the internet, and not for localhost', async () => {
    const dns = await FakeDns.start((_name, type) => publicly(type));
    const resolver = dns.resolver();
    const found = await resolveOf(new URL('http://localhost:3000/'), resolver)('localhost');
    expect(['127.0.0.1', '::1']).toEqual(expect.arrayContaining(found.map((one) => one.address)));
    expect(dns.asked).toEqual([]);
    await resolveOf(new URL(`https://${name}/`), resolver)(name);
    expect(dns.asked).toHaveLength(2);
  });
});
