import { type ApiBody, readApiBody } from './api-body.ts';
import { ofType, type Resources } from './intrinsics.ts';

/** What a stack's REST API does with requests. */
export interface RestApi extends ApiBody {
  stage: string;
}

/** Reads the one REST API of a template, which is made from an OpenAPI document. */
export const readRestApi = (resources: Resources): RestApi => {
  const [api, ...others] = ofType(resources, 'AWS::ApiGateway::RestApi');
  if (!api || others.length > 0) throw new Error('the stack has not just one REST API');
  const [stage] = ofType(resources, 'AWS::ApiGateway::Stage').map(([, one]) => one.Properties);
  return { ...readApiBody(api[1].Properties.Body), stage: String(stage?.StageName) };
};
