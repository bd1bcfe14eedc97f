import type { FastifyApiReferenceOptions } from '@scalar/fastify-api-reference';

interface Box {
  parentElement: Box;
  scrollTop: number;
  getBoundingClientRect(): { top: number };
}

/**
 * Brings the answer to the top, where it comes under the request: below a laptop's width. Scalar writes this function's text
 * into the page, so that it can use nothing from outside of it.
 */
const showAnswer = (): void => {
  const page = globalThis as unknown as { document: { querySelector(path: string): Box | null } };
  const answer = page.document.querySelector('[role=dialog] section[aria-label="Response"]');
  if (!answer) return;
  const list = answer.parentElement;
  list.scrollTop += answer.getBoundingClientRect().top - list.getBoundingClientRect().top;
};

/** The reference page, with nothing in it that calls anywhere but its own origin and the API. */
export const referenceConfiguration: NonNullable<FastifyApiReferenceOptions['configuration']> = {
  pageTitle: 'Leads and stars',
  proxyUrl: '',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  onResponseReceived: showAnswer,
  customCss: [
    ':root { --scalar-font: system-ui, sans-serif; --scalar-font-code: ui-monospace, monospace; }',
    // A request's body else makes “try it” wider than a phone, with the button to send it out of sight.
    '.scalar-client main > div { min-width: 0 }',
    // However short an answer is, it can come to the top.
    '.scalar-client section[aria-label="Response"] { min-height: 100% }',
    // The button of the sidebar would lie on the address.
    '@media (max-width: 900px) { .scalar-client .t-app__top-container { padding-left: 3.5rem } }',
    // A link moves the focus to a whole operation. What can be pressed in it keeps its outline.
    'section:focus-visible { outline: none }',
  ].join('\n'),
};

/** A policy for the page, by which the browser refuses whatever else it might try. */
export const contentSecurityPolicy = (connect: string): string =>
  [
    "default-src 'none'",
    "script-src 'self' 'unsafe-inline'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "worker-src 'self' blob:",
    `connect-src ${connect}`,
  ].join('; ');

/** The moment of the example of `GET /billing/balance`. A local service puts a later moment in its place. */
export const pastMoment = '2026-11-21T09:00:00Z';

/** An organization of the examples. The local runner puts its own in its place. */
export const someOrganization = '0cb252aa-aeea-5e6d-91d6-71543bd1ece2';

/**
 * The document as the page shows it. Scalar ticks and sends what has an example, a default or choices, and calls an empty
 * value wrong. Inside `allOf`, without an example, it shows the same to readers, and does neither: nothing is sent that
 * nobody has asked for.
 */
export const pageDocument = (text: string) =>
  JSON.parse(text, (_key, value) => {
    if (!isOptionalParameter(value)) return value;
    const schema = value.schema.allOf?.[0] ?? value.schema;
    const isSeveral = ['array', 'object'].includes(schema.type);
    return { ...value, schema: isSeveral ? schema : { allOf: [schema] } };
  });

// biome-ignore lint/suspicious/noExplicitAny: whatever a document has.
const isOptionalParameter = (value: any): boolean =>
  ['query', 'header'].includes(value?.in) && value.schema !== undefined && !value.required;
