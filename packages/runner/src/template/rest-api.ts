import { type ApiBody, readApiBody } from './api-body.ts';
import { ofType, type Resources, type TemplateResource } from './intrinsics.ts';
import { refuseUnknown } from './unknown-properties.ts';

/** What a stack's REST API does with requests. */
export interface RestApi extends ApiBody {
  stage: string;
  /** The stage's limits; undefined where it has the account's. */
  throttle: ThrottleLimits | undefined;
}

/**
 * Limits of each method by itself: so API Gateway takes a stage's settings for all methods. Only the account's hold for
 * all together.
 */
export interface ThrottleLimits {
  ratePerSecond: number;
  burst: number;
}

const type = 'AWS::ApiGateway::';

/** What has no part in how a request is answered, or is read here. All else of an API stands in its body. */
const knownTypes = [
  'RestApi',
  'Deployment',
  'Stage',
  'Account',
  'DomainName',
  'BasePathMapping',
].map((name) => type + name);

/** Reads the one REST API of a template, which is made from an OpenAPI document. */
export const readRestApi = (resources: Resources): RestApi => {
  for (const { Type } of Object.values(resources)) {
    if (Type.startsWith(type) && !knownTypes.includes(Type)) {
      throw new Error(`the runner does not know ${Type}: it reads an API’s body`);
    }
  }
  const [api, ...others] = ofType(resources, `${type}RestApi`);
  if (!api || others.length > 0) throw new Error('the stack has not just one REST API');
  const [stage] = ofType(resources, `${type}Stage`).map(([, one]) => one.Properties);
  return {
    ...bodyOf(api[1]),
    stage: String(stage?.StageName),
    throttle: throttleLimits(stage?.MethodSettings ?? []),
  };
};

const bodyOf = ({ Properties }: TemplateResource): ApiBody => {
  const { Body, Name, Description, Mode, EndpointConfiguration, Parameters, ...more } = Properties;
  refuseUnknown('the REST API', more);
  if (!Body) throw new Error('the REST API has no body');
  return readApiBody(Body);
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
