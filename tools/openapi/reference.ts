import type { FastifyApiReferenceOptions } from '@scalar/fastify-api-reference';

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
  customCss: [
    ':root { --scalar-font: system-ui, sans-serif; --scalar-font-code: ui-monospace, monospace; }',
    // Or a request's body makes “try it” wider than a phone, with the button to send it out of sight.
    '.scalar-client main > div { min-width: 0 }',
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

/**
 * The document as the page shows it. Scalar ticks and sends what has a default or choices, and calls an empty value wrong.
 * Inside `allOf` it shows the same to readers, and does neither: nothing is sent that nobody has asked for.
 */
export const pageDocument = (text: string) =>
  JSON.parse(text, (_key, value) =>
    isOptionalParameter(value) && !['array', 'object'].includes(value.schema.type)
      ? { ...value, schema: { allOf: [value.schema] } }
      : value,
  );

// biome-ignore lint/suspicious/noExplicitAny: whatever a document has.
const isOptionalParameter = (value: any): boolean =>
  ['query', 'header'].includes(value?.in) && value.schema !== undefined && !value.required;
