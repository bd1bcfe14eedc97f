import {
  convertWorkflowTemplate,
  NoOperationTraceWriter,
  parseWorkflow,
} from '@actions/workflow-parser';

/** What GitHub would refuse in a workflow. JavaScript, as TypeScript does not know the package before it is installed. */
export const workflowFaults = async (content) => {
  const file = { name: 'workflow.yml', content };
  const { context, value } = parseWorkflow(file, new NoOperationTraceWriter());
  if (value) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
};
