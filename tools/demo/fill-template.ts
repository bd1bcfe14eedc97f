import { CliError } from '@leads-and-stars/runner';

/** Fills `{{organization_id}}`, `{{tokens.agent}}` and the like. Throws for what is not known. */
export const fillTemplate = (template: string, values: object): string =>
  template.replace(/\{\{([\w.]+)\}\}/g, (_all, path: string) => {
    const value = path
      .split('.')
      .reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], values);
    if (typeof value !== 'string') throw new CliError(`Nothing is known to fill in {{${path}}}.`);
    return value;
  });
