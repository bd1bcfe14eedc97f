import type { TemplateResource } from './intrinsics.ts';
import { nothingMore } from './unknown-properties.ts';

// What API Gateway answers by itself.

/** A path's answer to OPTIONS, which API Gateway gives by itself (a mock integration). */
export interface Preflight {
  path: string;
  statusCode: number;
  headers: Record<string, string>;
  /** Origins that are answered by their own name, rather than by the one in the headers. */
  moreOrigins: string[];
}

export interface GatewayResponse {
  statusCode: number;
  headers: Record<string, string>;
  template: string;
}

type Part = TemplateResource['Properties'];

/** What stands in quotes is that text; all else would be looked for in the request. */
const staticValue = /^'(.*)'$/;

/** The one template of a preflight: of several origins, it names that of the request. */
const namesOrigin =
  /^#set\(\$origin = .*\)\n#if\(\$origin == ""\)\n {2}#set\(\$origin = .*\)\n#end\n#if\((\$origin == "[^"]+"(?: \|\| \$origin == "[^"]+")*)\)\n {2}#set\(\$context\.responseOverride\.header\.Access-Control-Allow-Origin = \$origin\)\n#end$/;

/** Reads a mock integration that answers OPTIONS. */
export const readPreflight = (where: string, integration: Part): Omit<Preflight, 'path'> => {
  const { type: _type, requestTemplates, responses, ...more } = integration;
  nothingMore(`the integration of ${where}`, more);
  const { default: response, ...others } = responses;
  nothingMore(`the responses of ${where}`, others);
  const { statusCode, responseParameters, responseTemplates, ...rest } = response;
  nothingMore(`the response of ${where}`, rest);
  const condition = responseTemplates && namesOrigin.exec(jsonTemplate(where, responseTemplates));
  if (jsonTemplate(where, requestTemplates) !== '{ statusCode: 200 }' || condition === null) {
    throw new Error(`the runner does not know the templates of ${where}`);
  }
  return {
    statusCode: Number(statusCode),
    headers: readHeaders(where, 'method.response.header.', responseParameters, (value) => {
      return staticValue.exec(value)?.[1];
    }),
    moreOrigins: [...(condition?.[1] ?? '').matchAll(/"([^"]+)"/g)].map(([, origin]) => origin!),
  };
};

/** Reads what the gateway answers in a function's place, for one reason. */
export const readGatewayResponse = (type: string, response: Part): GatewayResponse => {
  const where = `the gateway response ${type}`;
  const { statusCode, responseParameters, responseTemplates, ...more } = response;
  nothingMore(where, more);
  return {
    statusCode: Number(statusCode),
    headers: readHeaders(where, 'gatewayresponse.header.', responseParameters, (value) =>
      value === 'context.requestId' || staticValue.test(value) ? value : undefined,
    ),
    template: jsonTemplate(where, responseTemplates),
  };
};

const jsonTemplate = (where: string, templates: Record<string, string> = {}): string => {
  const { 'application/json': template, ...more } = templates;
  nothingMore(`the templates of ${where}`, more);
  if (template === undefined) throw new Error(`there is no template of ${where}`);
  return template;
};

const readHeaders = (
  where: string,
  prefix: string,
  parameters: Record<string, string>,
  read: (value: string) => string | undefined,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, text]) => {
      const value = name.startsWith(prefix) ? read(text) : undefined;
      if (value !== undefined) return [name.slice(prefix.length), value];
      throw new Error(`the runner does not know the parameter ${name}: ${text} of ${where}`);
    }),
  );
