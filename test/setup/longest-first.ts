import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest, most of it to wait: started last, they would run while everything else has ended. */
const longest = [
  'test/faults/every-fault',
  'test/faults/delayed-writes',
  'test/tenants/matrix',
  'test/stack/runtime',
  'test/browser/reference',
  'test/tools/dev/dev',
  'test/tools/dev/invoke',
];

const place = ({ moduleId }: TestSpecification): number => {
  const found = longest.findIndex((part) => moduleId.includes(`${part}.`));
  return found < 0 ? longest.length : found;
};

/** Starts these first, and leaves the order of the others as it is. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}
