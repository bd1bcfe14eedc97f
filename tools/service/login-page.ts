import { roles } from '../../lib/operations/permissions.ts';
import type { DemoOrganization } from './demo-organization.ts';

/** Asks who to be, as an issuer's login page does; each answer leads on to the issuer. */
export const loginPage = (organization: DemoOrganization | undefined, query: string): string => {
  const rest = hiddenFields(new URLSearchParams(query));
  const choices = roles.map(
    (role) =>
      organization &&
      `<button name="login_hint" value="${organization.users[role]}">${quote(organization.user_names[role])}, ${role}</button>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Log in</title>
<style>
  :root { color-scheme: light dark; }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 36rem; margin: 2rem auto; padding: 0 1rem; }
  h2 { font-size: 1rem; margin: 1.5rem 0 0; overflow-wrap: anywhere; }
  p { display: flex; flex-wrap: wrap; gap: .5rem; margin: .5rem 0; }
  button, input { font: inherit; padding: .4rem .9rem; }
  input { flex: 1 1 12rem; min-width: 0; }
</style>
<h1>Who are you?</h1>
<form action="issuer/authorize">
${rest}
<h2>${quote(organization?.name ?? '')}</h2>
<p>${choices.join('\n')}</p>
</form>
<form action="issuer/authorize">
${rest}
<h2>Someone else</h2>
<p><input name="login_hint" aria-label="User id" placeholder="User id" required> <button>Log in</button></p>
</form>
</html>`;
};

const hiddenFields = (query: URLSearchParams): string =>
  [...query]
    .map(([name, value]) => `<input type="hidden" name="${quote(name)}" value="${quote(value)}">`)
    .join('\n');

const quote = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
