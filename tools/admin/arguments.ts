import { InvalidArgumentError } from 'commander';
import { validate } from 'uuid';
import * as z from 'zod/mini';
import { mostStars } from '../../lib/billing/stars.ts';
import { type Role, roles } from '../../lib/operations/permissions.ts';
import { wholeNumber } from '../cli/whole-number.ts';

/** In the lower case in which the service keeps it. */
const id = (isOne: (text: string) => boolean) => (text: string) => {
  if (!isOne(text)) throw new InvalidArgumentError('It must be a UUID.');
  return text.toLowerCase();
};

export const uuid = id(validate);

/** Of a user, as `userId` in `lib/schema/fields.ts` takes it. */
export const userId = id((text) => z.regexes.guid.test(text));

const starsBetween = wholeNumber(-mostStars, mostStars);

/** Stars to give, or with a minus sign to take back. */
export const starsChange = (text: string): number => {
  const value = starsBetween(text);
  if (value !== 0) return value;
  throw new InvalidArgumentError('It must not be 0.');
};

export const role = (text: string): Role => {
  if ((roles as readonly string[]).includes(text)) return text as Role;
  throw new InvalidArgumentError(`It must be one of ${roles.join(', ')}.`);
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
