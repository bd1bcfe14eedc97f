import { functionOf } from '@leads-and-stars/runner';
import type { DemoOrganization } from '../demo/organization.ts';
import type { Service } from '../dev/service.ts';
import { callOf } from './call.ts';
import type { Setting } from './example.ts';
import type { Sender } from './gateway-event.ts';
import { settingOf } from './setting.ts';

/** The owner of a demo organization. */
export const demoSender = ({ organization_id, tokens }: DemoOrganization): Sender => ({
  organizationId: organization_id,
  token: tokens.owner,
});

/** A demo organization of a service of this process as a setting of examples. */
export const demoSetting = (
  service: Service,
  organization: DemoOrganization,
  given: Partial<Setting> = {},
): Setting =>
  settingBy({ baseUrl: service.baseUrl, invoke: invokeBy(service) }, organization, given);

/** The same of a service wherever it runs. */
export const settingBy = (
  by: { baseUrl: string; invoke: Invoke },
  organization: DemoOrganization,
  given: Partial<Setting> = {},
): Setting =>
  settingOf({
    organizationId: organization.organization_id,
    pipelineId: organization.pipeline_id,
    users: organization.users,
    call: callOf(by, demoSender(organization)),
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
