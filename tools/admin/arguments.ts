import { InvalidArgumentError } from 'commander';
import { validate } from 'uuid';
import * as z from 'zod/mini';
import { mostStars } from '../../lib/billing/terms/stars.ts';
import {
  type CallerRole,
  callerRoles,
  type Role,
  roles,
} from '../../lib/operations/permissions.ts';
import { memberName } from '../../lib/organizations/members.ts';
import { organizationSettings } from '../../lib/organizations/settings.ts';
import { utcDateTime } from '../../lib/schema/fields.ts';
import { wholeNumber } from '../cli/whole-number.ts';

/** An id in lower case, as the service keeps it. */
const id = (isOne: (text: string) => boolean) => (text: string) => {
  if (!isOne(text)) throw new InvalidArgumentError('It must be a UUID.');
  return text.toLowerCase();
};

export const uuid = id(validate);

/** A user's id, as `userId` in `lib/schema/fields.ts` takes it. */
export const userId = id((text) => z.regexes.guid.test(text));

const starsBetween = wholeNumber(-mostStars, mostStars);

/** Stars to give, or with a minus sign to take back. */
export const starsChange = (text: string): number => {
  const value = starsBetween(text);
  if (value !== 0) return value;
  throw new InvalidArgumentError('It must not be 0.');
};

const oneOf =
  <T extends string>(values: readonly T[]) =>
  (text: string): T => {
    const value = values.find((one) => one === text);
    if (value !== undefined) return value;
    throw new InvalidArgumentError(`It must be one of ${values.join(', ')}.`);
  };

/** A member's role. */
export const role = oneOf<Role>(roles);

/** What a schema makes of an argument. */
const by =
  (schema: z.ZodMiniType<string>) =>
  (value: string): string => {
    const { data, error } = z.safeParse(schema, value);
    if (data !== undefined) return data;
    throw new InvalidArgumentError(`It ${error.issues[0]?.message}.`);
  };

/** What histories call a member. */
export const displayName = by(memberName());

/** What an organization is called. */
export const organizationName = by(organizationSettings.name.schema);

export const currencyCode = by(organizationSettings.currency.schema);

export const platformKeyRole = oneOf<CallerRole>(callerRoles);

/** A date and time to come, with its offset, as milliseconds since the epoch. */
export const expiry = (text: string): number => {
  const { data } = z.safeParse(utcDateTime(), text);
  if (data === undefined) {
    throw new InvalidArgumentError('It must be a time such as 2030-01-31T00:00:00Z.');
  }
  if (Date.parse(data) > Date.now()) return Date.parse(data);
  throw new InvalidArgumentError('It must be in the future.');
};

/** `<role>=<user id>`, each time that the option is given. */
export const members = (
  text: string,
  before: { user_id: string; role: Role }[] = [],
): { user_id: string; role: Role }[] => {
  const [roleText = '', user = ''] = text.split('=');
  return [...before, { user_id: userId(user), role: role(roleText) }];
};

/** Examples at the end of a command's help. */
export const examples = (...lines: string[]): string =>
  ['', 'Examples:', ...lines.map((line) => `  npm run admin -- ${line}`)].join('\n');
