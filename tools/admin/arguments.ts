import { InvalidArgumentError } from 'commander';
import { validate } from 'uuid';
import { mostStars } from '../../lib/billing/stars.ts';
import { type Role, roles } from '../../lib/operations/permissions.ts';
import { uuidForm } from '../../lib/schema/cursor.ts';
import { wholeNumber } from '../cli/whole-number.ts';

/** A UUID, in the lower case in which the service keeps it. */
export const uuid = (text: string): string => {
  if (!validate(text)) throw new InvalidArgumentError('It must be a UUID.');
  return text.toLowerCase();
};

/** A user's id: the `sub` of the token where that has the form of a UUID, as Cognito's has. In lower case. */
export const userId = (text: string): string => {
  const id = text.toLowerCase();
  if (!uuidForm.test(id)) throw new InvalidArgumentError('It must be a UUID.');
  return id;
};

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
  const [roleText = '', id = ''] = text.split('=');
  return [...before, { user_id: userId(id), role: role(roleText) }];
};

/** Examples at the end of a command's help. */
export const examples = (...lines: string[]): string =>
  ['', 'Examples:', ...lines.map((line) => `  npm run admin -- ${line}`)].join('\n');
