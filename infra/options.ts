import type { Construct } from 'constructs';
import { isAscii } from './ascii.ts';

/** What `cdk deploy -c name=…` may set; `docs/deploy.md` says what each does. */
export const options = [
  'stack',
  'issuer',
  'audience',
  'jwks_uri',
  'domain_name',
  'certificate_arn',
  'cors_origins',
  'alarm_email',
  'requests_per_second',
  'webhooks_to_localhost',
  'table_name',
  'table_stream_arn',
] as const;

/** What an option can't be, to be told without a stack trace. */
export class OptionError extends Error {}

type Option = (typeof options)[number];

/** A function's name is the stack's and the operation's. Together they have 64 characters at most. */
const mostOfName = 40;

/** AWS's own: a bus has the stack's name, and the account's is `default`; no log group may begin with `aws/`. */
const takenNames = ['default', 'aws'];

/** Lambda takes 4 kB of variables: issuer, audience, keys and origins are among them. */
const mostOfValue = 900;

/** An option's value, where it is given. */
export const option = (scope: Construct, name: Option): string | undefined =>
  scope.node.tryGetContext(name);

/**
 * Refuses what would otherwise be ignored or changed in silence: a mistyped name, characters that a template
 * can't have, an empty value (a shell variable that is not set), a value too long for the resources that get it. The
 * CDK's own settings have names with `:`, `/` or `-`.
 */
export const refuseUnknownOptions = (app: Construct): void => {
  for (const [name, value] of Object.entries<unknown>(app.node.getAllContext())) {
    if (!/^\w+$/.test(name)) continue;
    if (!options.some((known) => known === name)) {
      throw new OptionError(`-c ${name} is not an option. The options are ${options.join(', ')}`);
    }
    // An empty list of origins is a list, too.
    if (name === 'cors_origins' && value === '') continue;
    if (typeof value !== 'string') {
      throw new OptionError(`-c ${name} takes a text: in cdk.json, one in quotation marks`);
    }
    if (value.trim() === '') {
      throw new OptionError(`-c ${name} has no value. Leave it out, or give it one`);
    }
    if (!isAscii(value)) {
      throw new OptionError(`-c ${name} takes ASCII only, as CloudFormation does`);
    }
    const most = name === 'stack' ? mostOfName : mostOfValue;
    if (value.length > most) throw new OptionError(`-c ${name} is longer than ${most} characters`);
    if (name === 'stack' && !/^[a-z][a-z\d-]*$/i.test(value)) {
      throw new OptionError('-c stack takes a letter, and then letters, digits and hyphens');
    }
    if (name === 'stack' && takenNames.includes(value)) {
      throw new OptionError(`-c stack can't be ${value}: AWS keeps that name for itself`);
    }
  }
};
