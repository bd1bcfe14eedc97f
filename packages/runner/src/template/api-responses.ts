import type { TemplateResource } from './intrinsics.ts';
import { refuseUnknown } from './unknown-properties.ts';

/** The answer to OPTIONS on a path. API Gateway gives it without calling a function (a mock integration). */
export interface Preflight {
  path: string;
  statusCode: number;
  headers: Record<string, string>;
  /** Other allowed origins: the answer to one of them names it, in place of the origin in `headers`. */
  moreOrigins: string[];
}

export interface GatewayResponse {
  statusCode: number;
  headers: Record<string, string>;
  template: string;
}

type Properties = TemplateResource['Properties'];

/** A value in quotes is a fixed text. Without quotes, API Gateway would take it from the request. */
const quotedText = /^'(.*)'$/;

/** The template of `infra/cors.ts` for several allowed origins: it answers with the origin of the request. */
const originTemplate =
  /^#set\(\$origin = .*\)\n#if\(\$origin == ""\)\n {2}#set\(\$origin = .*\)\n#end\n#if\((\$origin == "[^"]+"(?: \|\| \$origin == "[^"]+")*)\)\n {2}#set\(\$context\.responseOverride\.header\.Access-Control-Allow-Origin = \$origin\)\n#end$/;

/** Reads a mock integration that answers OPTIONS. */
export const readPreflight = (where: string, integration: Properties): Omit<Preflight, 'path'> => {
  const { type: _type, requestTemplates, responses, ...more } = integration;
  refuseUnknown(`the integration of ${where}`, more);
  const { default: response, ...others } = responses;
  refuseUnknown(`the responses of ${where}`, others);
  const { statusCode, responseParameters, responseTemplates, ...rest } = response;
  refuseUnknown(`the response of ${where}`, rest);
  const condition =
    responseTemplates && originTemplate.exec(jsonTemplate(where, responseTemplates));
  if (jsonTemplate(where, requestTemplates) !== '{ statusCode: 200 }' || condition === null) {
    throw new Error(`the runner does not know the templates of ${where}`);
  }
  return {
    statusCode: Number(statusCode),
    headers: readHeaders(where, 'method.response.header.', responseParameters, (value) => {
      return quotedText.exec(value)?.[1];
    }),
    moreOrigins: [...(condition?.[1] ?? '').matchAll(/"([^"]+)"/g)].map(([, origin]) => origin!),
  };
};

/** Reads the gateway response of one type, such as `DEFAULT_4XX`. */
export const readGatewayResponse = (type: string, response: Properties): GatewayResponse => {
  const where = `the gateway response ${type}`;
  const { statusCode, responseParameters, responseTemplates, ...more } = response;
  refuseUnknown(where, more);
  return {
    statusCode: Number(statusCode),
    headers: readHeaders(where, 'gatewayresponse.header.', responseParameters, (value) =>
      value === 'context.requestId' || quotedText.test(value) ? value : undefined,
    ),
    template: jsonTemplate(where, responseTemplates),
  };
};

const jsonTemplate = (where: string, templates: Record<string, string> = {}): string => {
  const { 'application/json': template, ...more } = templates;
  refuseUnknown(`the templates of ${where}`, more);
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
