import { isAscii } from './ascii.ts';

/** What a deployment's file may set. `docs/deploy.md` says what each does. */
export interface Options {
  issuer?: string;
  audience?: string;
  jwks_uri?: string;
  domain_name?: string;
  certificate_arn?: string;
  cors_origins?: string[];
  alarm_email?: string;
  requests_per_second?: number;
  table_stream_arn?: string;
}

type OptionType = 'a text' | 'a list of texts' | 'a number';

export const optionTypes: Record<keyof Options, OptionType> = {
  issuer: 'a text',
  audience: 'a text',
  jwks_uri: 'a text',
  domain_name: 'a text',
  certificate_arn: 'a text',
  cors_origins: 'a list of texts',
  alarm_email: 'a text',
  requests_per_second: 'a number',
  table_stream_arn: 'a text',
};

/** What an option can't be, to be told without a stack trace. */
export class OptionError extends Error {}

/** Lambda takes 4 kB of variables: issuer, audience, keys and origins are among them. */
const mostOfValue = 900;

/** Checks names and types of options, and that a template can have their values. Throws an `OptionError`. */
export const checkOptions = (given: unknown): Options => {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new OptionError('It takes an object of options, such as {}');
  }
  for (const [name, value] of Object.entries(given)) {
    if (!isOption(name)) {
      const names = Object.keys(optionTypes).join(', ');
      throw new OptionError(`${name} is not an option. The options are ${names}`);
    }
    if (!isOfType(value, optionTypes[name])) {
      throw new OptionError(`${name} takes ${optionTypes[name]}`);
    }
    checkTexts(name, value);
  }
  return given;
};

const isOption = (name: string): name is keyof Options => Object.hasOwn(optionTypes, name);

const isOfType = (value: unknown, type: OptionType): value is string | number | string[] => {
  if (type === 'a number') return typeof value === 'number';
  if (type === 'a text') return typeof value === 'string';
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
};

const checkTexts = (name: string, value: string | number | string[]): void => {
  const texts = Array.isArray(value) ? value : [String(value)];
  if (texts.some((text) => text.trim() === '')) {
    throw new OptionError(`${name} has no value. Leave it out, or give it one`);
  }
  if (!texts.every(isAscii)) {
    throw new OptionError(`${name} takes ASCII only, as CloudFormation does`);
  }
  if (texts.join().length > mostOfValue) {
    throw new OptionError(`${name} is longer than ${mostOfValue} characters`);
  }
};
