import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** In this order: another project has workers of its own, and what only computes fills the end. */
const projects = ['service', 'runner', 'unit', 'alone', 'afterwards'];

/** Files that take longest, most of it to wait: started last, they would run while everything else has ended. */
const longest = [
  'test/faults/every-fault',
  'test/browser/reference',
  'test/tools/dev/dev',
  'test/tools/dev/invoke',
  'test/faults/bus-outages',
  'test/tenants/matrix',
  'test/cost/budgets',
];

const place = ({ moduleId, project }: TestSpecification): number => {
  const found = longest.findIndex((part) => moduleId.includes(`${part}.`));
  const within = found < 0 ? longest.length : found;
  return projects.indexOf(project.name) * (longest.length + 1) + within;
};

/** Starts these first, and leaves the order of the others as it is. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}
