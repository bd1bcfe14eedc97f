import * as z from 'zod/mini';
import { mostGraceMinutes } from '../lib/billing/rules/wallet-events.ts';
import { leastPerSecond, mostPerSecond } from '../lib/organizations/request-limit.ts';
import { issueDetails } from '../lib/schema/issues.ts';
import { isOrigin } from './origin.ts';

/** What an option can't be, to be told without a stack trace. */
export class OptionError extends Error {}

/** Lambda takes 4 kB of variables: issuer, audience, keys and origins are among them. */
const mostOfValue = 900;

/** The stream of a table that was restored from a backup: its table's ARN and name are in it. */
export const restoredStream =
  /^(arn:[\w-]+:dynamodb:[\w-]+:\d+:table\/([\w.-]+))\/stream\/[\d:.T-]+$/;

const text = (form: RegExp, message: string) =>
  z.optional(
    z
      .string()
      .check(
        z.regex(/\S/, 'has no value. Leave it out, or give it one'),
        z.regex(/^[ -~]*$/, 'takes ASCII only, as CloudFormation does'),
        z.maxLength(mostOfValue),
        z.regex(form, message),
      ),
  );

const address = text(/^https:\/\//, 'must be an address such as https://…');

/** What a deployment's file may set. `docs/deploy.md` says what each does. */
const options = z
  .strictObject({
    issuer: address,
    audience: text(/./, ''),
    jwks_uri: address,
    domain_name: text(
      /^[a-z\d_-]+(\.[a-z\d_-]+)+$/,
      'must be a domain name in lower case, such as api.example.com',
    ),
    certificate_arn: text(/^arn:[\w-]+:acm:/, 'must be arn:aws:acm:…'),
    cors_origins: z.optional(
      z
        .array(
          z.string().check(z.refine(isOrigin, 'must be an origin such as https://app.example')),
        )
        .check(z.refine((all) => all.join().length <= mostOfValue, 'must be shorter together')),
    ),
    alarm_email: text(/^[^\s@,;]+@[^\s@,;]+$/, 'must be one address, such as you@example.com'),
    notice_email: text(/^[^\s@,;]+@[^\s@,;]+$/, 'must be one address, such as you@example.com'),
    organizations: z.optional(z.int().check(z.gte(1), z.lte(1_000_000))),
    requests_per_second: z.optional(z.int().check(z.gte(leastPerSecond), z.lte(mostPerSecond))),
    stage_requests_per_second: z.optional(z.int().check(z.gte(100), z.lte(100_000))),
    stripe_event_source: text(
      /^aws\.partner\/stripe\.com\/[\w.-]{1,200}$/,
      'must be the name of Stripe’s event source, aws.partner/stripe.com/…',
    ),
    stripe_livemode: z.optional(z.boolean()),
    stripe_grace_minutes: z.optional(z.int().check(z.gte(0), z.lte(mostGraceMinutes))),
    table_stream_arn: text(
      restoredStream,
      'must be the LatestStreamArn of a table, arn:aws:dynamodb:…:table/…/stream/…',
    ),
  })
  .check(
    z.refine(
      ({ issuer, audience, jwks_uri }) => !(issuer ?? audience ?? jwks_uri) || (issuer && audience),
      'Your own issuer needs both issuer and audience',
    ),
    z.refine(
      ({ domain_name, certificate_arn }) => !domain_name === !certificate_arn,
      'A domain needs both domain_name and certificate_arn',
    ),
    z.refine(
      ({ stripe_event_source, stripe_livemode, stripe_grace_minutes }) =>
        (stripe_livemode ?? stripe_grace_minutes) === undefined || stripe_event_source,
      'stripe_livemode and stripe_grace_minutes need stripe_event_source',
    ),
  );

export type StackOptions = z.core.output<typeof options>;

/** Whether payments are real: as the file says, else by the source's name, which has `ed_test_` in test mode. */
export const isLive = ({ stripe_livemode, stripe_event_source }: StackOptions): boolean =>
  stripe_livemode ?? !stripe_event_source?.includes('/ed_test_');

export const optionNames = Object.keys(options._zod.def.shape);

/** Checks options, and that a template can have their values. Throws an `OptionError`. */
export const checkOptions = (given: unknown): StackOptions => {
  const { data, error } = z.safeParse(options, given);
  if (data) return data;
  const told = issueDetails(error, () => `is not an option. They are ${optionNames.join(', ')}`);
  throw new OptionError(told.map(({ path, message }) => `${path} ${message}`.trim()).join('; '));
};
