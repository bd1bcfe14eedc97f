import { type ApiBody, readApiBody } from './api-body.ts';
import { ofType, type Resources } from './intrinsics.ts';

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

/** Reads the one REST API of a template, which is made from an OpenAPI document. */
export const readRestApi = (resources: Resources): RestApi => {
  const [api, ...others] = ofType(resources, 'AWS::ApiGateway::RestApi');
  if (!api || others.length > 0) throw new Error('the stack has not just one REST API');
  const [stage] = ofType(resources, 'AWS::ApiGateway::Stage').map(([, one]) => one.Properties);
  const [limits] = stage?.MethodSettings ?? [];
  return {
    ...readApiBody(api[1].Properties.Body),
    stage: String(stage?.StageName),
    throttle: limits && {
      ratePerSecond: limits.ThrottlingRateLimit,
      burst: limits.ThrottlingBurstLimit,
    },
  };
};
