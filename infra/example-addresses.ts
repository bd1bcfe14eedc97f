import { OptionError, type StackOptions } from './options.ts';

/** Domains that nobody has: RFC 2606, sections 2 and 3. */
const ofExamples = /(^|\.)(example(\.(com|net|org))?|invalid|test|localhost)\.?$/i;

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : url);

/** Throws an `OptionError` if an address is that of an example: whoever deploys was to write one of their own. */
export const refuseExamples = (options: StackOptions): void => {
  const { alarm_email: email = '', issuer = '', jwks_uri: keys = '', domain_name = '' } = options;
  // A page under development, at localhost, may call a service that is deployed.
  const origins = options.cors_origins?.map(hostOf).filter((host) => host !== 'localhost') ?? [];
  const hosts: [option: keyof StackOptions, host: string][] = [
    ['alarm_email', email.replace(/^.*@/, '')],
    ['notice_email', (options.notice_email ?? '').replace(/^.*@/, '')],
    ['issuer', hostOf(issuer)],
    ['jwks_uri', hostOf(keys)],
    ['domain_name', domain_name],
    ...origins.map((host) => ['cors_origins', host] as [keyof StackOptions, string]),
  ];
  for (const [option, host] of hosts) {
    if (!ofExamples.test(host)) continue;
    throw new OptionError(
      `${option} is at ${host}, which is for examples. Write an address of yours`,
    );
  }
};
