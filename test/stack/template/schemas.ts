import { dirname } from 'node:path';
import { App, CloudFormationValidatePlugin } from 'aws-cdk-lib';

// AWS's own validator, as the CDK runs it at each synthesis: the resource providers' schemas (properties,
// types, patterns, limits), references, attributes, cycles, and CloudFormation's quotas.
const validator = new CloudFormationValidatePlugin();

/** What the published schemas have against the template in a file: errors, and values that they don't list. */
export const againstSchemas = (file: string): string[] => {
  const stack = {
    stackConstructPath: 'Stack',
    templatePath: file,
    accountId: undefined,
    region: undefined,
  };
  // Told of no directory, it would leave one behind.
  const appConstruct = new App({ outdir: dirname(file) });
  const context = { appConstruct, templatePaths: [file], stackTemplates: [stack] };
  return validator
    .validate(context)
    .violations.map(({ ruleName, description, violatingResources }) => {
      const ids = violatingResources.map(({ resourceLogicalId = 'template' }) => resourceLogicalId);
      return `${ids.join(', ')}: ${description} (${ruleName})`;
    });
};
