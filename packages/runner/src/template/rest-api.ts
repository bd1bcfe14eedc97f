import { ofType, type Resources, type TemplateResource } from './intrinsics.ts';
import { type Preflight, toPreflight } from './preflight.ts';

/** What a stack's REST API does with requests. */
export interface RestApi {
  stage: string;
  routes: Route[];
  preflights: Preflight[];
  /** What the gateway itself answers, by its name for the reason. */
  gatewayResponses: Map<string, GatewayResponse>;
  /** Undefined where the stage has the account's. */
  throttle: ThrottleLimits | undefined;
}

/** Of all requests to the stage together. */
export interface ThrottleLimits {
  ratePerSecond: number;
  burst: number;
}

export interface Route {
  method: string;
  /** As in the template: `/things/{id}`. */
  path: string;
  functionLogicalId: string;
  timeoutMilliseconds: number;
}

export interface GatewayResponse {
  statusCode: number;
  headers: Record<string, string>;
  template: string;
}

/** Reads the one REST API of a template. */
export const readRestApi = (resources: Resources): RestApi => {
  const methods = ofType(resources, 'AWS::ApiGateway::Method').map(([, method]) => method);
  const [stage] = ofType(resources, 'AWS::ApiGateway::Stage').map(([, one]) => one.Properties);
  const isMock = ({ Properties }: TemplateResource) => Properties.Integration.Type === 'MOCK';
  return {
    stage: String(stage?.StageName),
    throttle: throttleLimits(stage?.MethodSettings ?? []),
    routes: methods
      .filter((method) => !isMock(method))
      .map(({ Properties }) => ({
        method: Properties.HttpMethod,
        path: pathOf(resources, Properties.ResourceId),
        functionLogicalId: integratedFunction(Properties.Integration.Uri),
        timeoutMilliseconds: Properties.Integration.TimeoutInMillis ?? 29_000,
      })),
    preflights: methods
      .filter(isMock)
      .map((method) => toPreflight(pathOf(resources, method.Properties.ResourceId), method)),
    gatewayResponses: new Map(
      ofType(resources, 'AWS::ApiGateway::GatewayResponse').map(([, { Properties }]) => [
        Properties.ResponseType,
        toGatewayResponse(Properties),
      ]),
    ),
  };
};

const throttleLimits = (settings: TemplateResource['Properties'][]): ThrottleLimits | undefined => {
  const [all, ...others] = settings;
  if (!all) return undefined;
  const { HttpMethod, ResourcePath, ThrottlingRateLimit, ThrottlingBurstLimit } = all;
  const known = HttpMethod === '*' && ResourcePath === '/*' && others.length === 0;
  if (known && ThrottlingRateLimit && ThrottlingBurstLimit) {
    return { ratePerSecond: ThrottlingRateLimit, burst: ThrottlingBurstLimit };
  }
  throw new Error(`the runner does not know the method settings ${JSON.stringify(settings)}`);
};

const pathOf = (
  resources: Resources,
  id: { Ref?: string; 'Fn::GetAtt'?: [string, string] },
): string => {
  if (!id.Ref) return '';
  const { ParentId, PathPart } = resources[id.Ref]!.Properties;
  return `${pathOf(resources, ParentId)}/${PathPart}`;
};

/** The function in `…:lambda:path/…/functions/<arn>/invocations`. */
const integratedFunction = (uri: { 'Fn::Join': [string, unknown[]] }): string => {
  for (const part of uri['Fn::Join'][1]) {
    const target = (part as { 'Fn::GetAtt'?: [string, string] })['Fn::GetAtt'];
    if (target) return target[0];
  }
  throw new Error('the runner knows Lambda integrations only');
};

const toGatewayResponse = (properties: TemplateResource['Properties']): GatewayResponse => ({
  statusCode: Number(properties.StatusCode),
  headers: Object.fromEntries(
    Object.entries(properties.ResponseParameters as Record<string, string>).map(([name, value]) => [
      name.replace('gatewayresponse.header.', ''),
      value,
    ]),
  ),
  template: properties.ResponseTemplates['application/json'],
});
