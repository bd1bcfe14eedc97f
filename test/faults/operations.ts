import type { Definition, RoutedOperation } from '../../lib/operations/definition.ts';
import { loadExamples, titleOf } from '../../tools/examples/load.ts';
import { type Request, requestOf } from './client.ts';
import type { Setting } from './setting.ts';

/** A way to use an operation. */
export interface Way {
  /** Of the operation. */
  id: string;
  name: string;
  request(setting: Setting): Promise<Request>;
}

const ways: { operation: Definition; way: Way }[] = (await loadExamples()).flatMap(
  ({ operation, examples }) =>
    examples
      .filter(({ faults }) => faults)
      .map((example) => ({
        operation,
        way: {
          id: operation.id,
          name: titleOf(operation, example),
          request: async ({ examples }) => requestOf(operation, await example.request(examples)),
        },
      })),
);

/** Of the catalogue, which all organizations share: nothing else may be under way meanwhile. */
const isShared = (id: string): boolean => ['putPlan', 'listPlans'].includes(id);

const isRead = (operation: Definition): operation is RoutedOperation & { kind: 'routed' } =>
  operation.kind === 'routed' && operation.method === 'GET';

const waysOf = (which: (operation: Definition) => boolean): Way[] =>
  ways.filter(({ operation }) => which(operation)).map(({ way }) => way);

/** Every way of writing that is struck by faults. */
export const writes = waysOf((operation) => !isRead(operation) && !isShared(operation.id));

/** Every way of reading. Of those with a limit, the second page is read as well. */
export const reads = waysOf((operation) => isRead(operation) && !isShared(operation.id));

export const [putPlan, listPlans] = [only('putPlan'), only('listPlans')];

/** The ids of all operations that are struck. */
export const struck = new Set(ways.map(({ way }) => way.id));

/** The way by its name. Throws if there is none. */
export const wayOf = (name: string): Way => {
  const found = ways.find(({ way }) => way.name === name);
  if (!found) throw new Error(`no example is called ${name} and has faults`);
  return found.way;
};

/** Those that lead to the others' ways of writing: they are struck by two faults as well. */
export const main = new Set(
  [
    'createLead, a new lead',
    'createLeads, a taken contact, one that is made, and one that is wrong',
    'updateLead, a stage, an email, tags and a value',
    'deleteLead, a lead is deleted',
    'putSpend, of both kinds',
    'applyWalletEvents, a pack and a month of a subscription',
  ].map(wayOf),
);

const ofLeads = 'createLead createLeads updateLead deleteLead getLead listLeads listLeadHistory';
const ofPipelines = 'createPipeline updatePipeline getPipeline listPipelines getPipelineSummary';
const ofMembers = 'putOrganization putMember deleteMember getMember listMembers';
const ofWallets = 'putSpend createSpends applyWalletEvents getBalance listBillingHistory';

/** The ids of those that `npm test` strikes. */
export const typical = new Set(`${ofLeads} ${ofPipelines} ${ofMembers} ${ofWallets}`.split(' '));

/** Of its tests with faults: `npm test` leaves out operations that write and read as others do. */
export const tagsOf = (id: string): string[] => (typical.has(id) ? [] : ['long']);

function only(id: string): Way {
  const [found] = waysOf((operation) => operation.id === id);
  if (!found) throw new Error(`no example of ${id} has faults`);
  return found;
}
