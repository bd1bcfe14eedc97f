import { InvalidArgumentError } from 'commander';
import { validate } from 'uuid';
import { type Role, roles } from '../../lib/operations/permissions.ts';

/** A UUID, in the lower case in which the service keeps it. */
export const uuid = (text: string): string => {
  if (!validate(text)) throw new InvalidArgumentError('It must be a UUID.');
  return text.toLowerCase();
};

export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };

/** Stars to give, or with a minus sign to take back. */
export const starsChange = (text: string): number => {
  const value = Number(text);
  if (/^-?\d+$/.test(text) && value !== 0 && Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError('It must be a whole number other than 0.');
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
  const [roleText = '', userId = ''] = text.split('=');
  return [...before, { user_id: uuid(userId), role: role(roleText) }];
};

/** Examples at the end of a command's help. */
export const examples = (...lines: string[]): string =>
  ['', 'Examples:', ...lines.map((line) => `  npm run admin -- ${line}`)].join('\n');
