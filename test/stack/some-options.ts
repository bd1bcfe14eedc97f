import { mostOfName } from '../../infra/deployment.ts';

/** Values of the options that go together, for tests of the stack. */
export const issuer = { issuer: 'https://login.example/', audience: 'crm' };

export const domain = {
  domain_name: 'api.example.com',
  certificate_arn: 'arn:aws:acm:eu-west-1:123456789012:certificate/1',
};

export const cors = { cors_origins: ['https://a.example', 'https://b.example'] };

export const alarms = {
  alarm_email: 'ops@example.com',
  notice_email: 'team@example.com',
  organizations: 3000,
};

export const limit = { requests_per_second: 10, stage_requests_per_second: 5000 };

export const stripe = { stripe_event_source: 'aws.partner/stripe.com/ed_61Qx' };

export const restoredArn = 'arn:aws:dynamodb:eu-west-1:123456789012:table/restored';

export const restored = { table_stream_arn: `${restoredArn}/stream/2026-11-21T00:00:00.000` };

export const everyOption = {
  ...issuer,
  ...domain,
  ...cors,
  ...alarms,
  ...limit,
  ...restored,
  ...stripe,
};

/** Those that make the most resources: the stack's own user pool and table, too. */
export const everyResource = { ...domain, ...cors, ...alarms, ...stripe };

const padded = (value: string, length: number): string => value + 'x'.repeat(length - value.length);

/** As long as each may be. */
export const longValues = {
  deployment: padded('s', mostOfName),
  issuer: padded('https://login.example/', 900),
  audience: padded('crm', 900),
  jwks_uri: padded('https://login.example/', 900),
  cors_origins: [padded('https://a.example', 900)],
};
