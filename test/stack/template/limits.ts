import { isAscii } from '../../../infra/ascii.ts';
import type { Resources } from './references.ts';

// What the published schemas don't say.

/** CloudFormation takes 500, and what is planned needs room. */
export const mostResources = 449;

/** Of all environment variables of a function: names and values, in bytes. */
const mostVariableBytes = 4096;

/** Lambda sets these itself, and makes no function that sets them. */
const reserved = /^(AWS_|LAMBDA_|_HANDLER$|_X_AMZN_TRACE_ID$|TZ$)/;

/** A value that is only known in AWS, such as a table's name. */
const unknownBytes = 255;

/** Of all policies in a role, in characters. */
const mostPolicyCharacters = 10_240;

/** The longest ARN that a reference becomes: that of a function. */
const longestArn = 'x'.repeat('arn:aws:lambda:ap-southeast-1:123456789012:function:'.length + 64);

const bytesOf = (value: unknown): number =>
  typeof value === 'string' ? Buffer.byteLength(value) : unknownBytes;

const inFunctions = (resources: Resources): string[] =>
  Object.entries(resources).flatMap(([id, { Type, Properties }]) => {
    if (Type !== 'AWS::Lambda::Function') return [];
    const variables = Object.entries<unknown>(Properties.Environment?.Variables ?? {});
    const bytes = variables.reduce((sum, [name, value]) => sum + name.length + bytesOf(value), 0);
    return [
      ...variables.filter(([name]) => reserved.test(name)).map(([name]) => `${id} sets ${name}`),
      ...(bytes > mostVariableBytes ? [`${id} has ${bytes} bytes of variables`] : []),
    ];
  });

/** A role whose policies are too long. The one by which the API invokes grows with each route. */
const inRoles = (resources: Resources): string[] =>
  Object.entries(resources).flatMap(([id, { Type, Properties }]) => {
    if (Type !== 'AWS::IAM::Role') return [];
    const policies: object[] = (Properties.Policies ?? []).map(
      (one: { PolicyDocument: object }) => one.PolicyDocument,
    );
    const texts = policies.map((one) =>
      JSON.stringify(one, (_key, value) =>
        value?.['Fn::GetAtt'] || value?.['Fn::Join'] ? longestArn : value,
      ),
    );
    const { length } = texts.join('');
    return length > mostPolicyCharacters ? [`${id} has ${length} characters of policies`] : [];
  });

/** Where a template goes beyond limits of CloudFormation and Lambda that no schema has. */
export const beyondLimits = (template: { Resources: Resources }): string[] => {
  const { Resources: resources } = template;
  const count = Object.keys(resources).length;
  const text = JSON.stringify(template);
  const foreign = [...text].filter((character) => !isAscii(character));
  return [
    ...(count > mostResources ? [`there are ${count} resources`] : []),
    ...(foreign.length > 0 ? [`not ASCII: ${[...new Set(foreign)].join(' ')}`] : []),
    ...inFunctions(resources),
    ...inRoles(resources),
  ];
};
