import { listGitHub, type Variables } from './api.ts';

interface GithubDeployment {
  id: number;
  sha: string;
}

interface DeploymentStatus {
  state: string;
  environment_url: string;
}

/**
 * The commit that an environment of GitHub has: that of the newest deployment that succeeded with an address, as a
 * deployment without did nothing. Undefined where there is none, or where it is the commit of this run.
 */
export const versionBefore = async (
  variables: Variables,
  environment: string,
): Promise<string | undefined> => {
  const deployments = listGitHub<GithubDeployment>(
    variables,
    `deployments?environment=${environment}`,
  );
  for await (const { id, sha } of deployments) {
    // A status that came later, such as `inactive`, does not replace it.
    for await (const one of listGitHub<DeploymentStatus>(variables, `deployments/${id}/statuses`)) {
      if (one.state !== 'success' || !one.environment_url) continue;
      return sha === variables.GITHUB_SHA ? undefined : sha;
    }
  }
  return undefined;
};

if (import.meta.main) {
  const [, , environment = ''] = process.argv;
  console.log((await versionBefore(process.env, environment)) ?? '');
}
