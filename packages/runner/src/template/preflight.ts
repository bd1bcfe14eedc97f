import type { TemplateResource } from './intrinsics.ts';

/** A path's answer to OPTIONS, which API Gateway gives by itself (a MOCK integration). */
export interface Preflight {
  path: string;
  statusCode: number;
  headers: Record<string, string>;
  /** Origins that are answered by their own name, rather than by the one in the headers. */
  moreOrigins: string[];
}

/** The one form of response template that CDK writes, for more than one origin. */
const template =
  /^#set\(\$origin = .*\)\n#if\(\$origin == ""\)\n {2}#set\(\$origin = .*\)\n#end\n#if\((\$origin == "[^"]+"(?: \|\| \$origin == "[^"]+")*)\)\n {2}#set\(\$context\.responseOverride\.header\.Access-Control-Allow-Origin = \$origin\)\n#end$/;

export const toPreflight = (path: string, { Properties }: TemplateResource): Preflight => {
  const [response, ...others] = Properties.Integration.IntegrationResponses;
  const text: string | undefined = response.ResponseTemplates?.['application/json'];
  const condition = text === undefined ? '' : template.exec(text)?.[1];
  if (Properties.HttpMethod !== 'OPTIONS' || others.length > 0 || condition === undefined) {
    throw new Error(`the runner does not know the MOCK integration of ${path}`);
  }
  return {
    path,
    statusCode: Number(response.StatusCode),
    headers: Object.fromEntries(
      Object.entries(response.ResponseParameters as Record<string, string>).map(([name, value]) => [
        name.replace('method.response.header.', ''),
        value.slice(1, -1),
      ]),
    ),
    moreOrigins: [...condition.matchAll(/"([^"]+)"/g)].map(([, origin]) => origin!),
  };
};
