import { functionOf } from '@leads-and-stars/runner';
import type { Setting } from '../../functions/example.ts';
import type { Demo } from '../service/demo-organization.ts';
import type { Service } from '../service/service.ts';
import { callOf } from './call.ts';
import type { Sender } from './gateway-event.ts';
import { settingOf } from './setting.ts';

/** The owner of the first organization of a demo. */
export const demoSender = ({ organizations, platform_key }: Demo): Sender => ({
  organizationId: organizations[0]!.organization_id,
  token: organizations[0]!.tokens.owner,
  platformKey: platform_key,
});

/** The first organization of a demo, of a service of this process, as a setting of examples. */
export const demoSetting = (service: Service, demo: Demo, given: Partial<Setting> = {}): Setting =>
  settingOf({
    organizationId: demo.organizations[0]!.organization_id,
    pipelineId: demo.organizations[0]!.pipeline_id,
    users: demo.organizations[0]!.users,
    call: callOf({ baseUrl: service.baseUrl, invoke: invokeBy(service) }, demoSender(demo)),
    ...given,
  });

type Invoke = (operationId: string, event: unknown) => Promise<unknown>;

const invokeBy =
  ({ lambda, assembly }: Service): Invoke =>
  async (operationId, event) => {
    const outcome = await lambda.invoke(functionOf(assembly.functions, operationId)!, event);
    if (outcome.kind === 'error') throw new Error(`${operationId}: ${outcome.errorMessage}`);
    return JSON.parse(outcome.payload ?? 'null');
  };
