import { askGitHub, listGitHub, type Variables } from './api.ts';

interface Issue {
  number: number;
  title: string;
  pull_request?: object;
}

interface Job {
  name: string;
  html_url: string;
  conclusion: string | null;
}

const title = 'The night failed';

/** Says which jobs of this run failed, in the open issue about failed nights, or else in a new issue. */
export const reportNight = async (variables: Variables): Promise<void> => {
  const { GITHUB_RUN_ID, GITHUB_RUN_ATTEMPT } = variables;
  const { jobs } = await askGitHub<{ jobs: Job[] }>(
    variables,
    `actions/runs/${GITHUB_RUN_ID}/attempts/${GITHUB_RUN_ATTEMPT}/jobs?per_page=100`,
  );
  // Leaves out the job that reports, which has no conclusion yet, and jobs that had nothing to do.
  const failed = jobs.filter(({ conclusion }) => conclusion && !/success|skipped/.test(conclusion));
  const body = failed
    .map(({ name, html_url, conclusion }) => `- [\`${name}\`](${html_url}): ${conclusion}`)
    .join('\n');
  const number = await openIssue(variables);
  if (number === undefined) await askGitHub(variables, 'issues', { title, body });
  else await askGitHub(variables, `issues/${number}/comments`, { body });
};

const openIssue = async (variables: Variables): Promise<number | undefined> => {
  for await (const one of listGitHub<Issue>(variables, 'issues?state=open')) {
    if (one.title === title && !one.pull_request) return one.number;
  }
  return undefined;
};

if (import.meta.main) await reportNight(process.env);
