/** Where the login notes which organization was chosen: a key of the browser's local storage. */
const chosen = 'organization';

/**
 * Has the reference page show the organization that was chosen at the last login: now, and as soon as
 * another is. The login is a window of its own, and the storage of both is the same.
 */
export const showingOrganization = (page: string): string =>
  page
    .replace('Scalar.createApiReference(', 'const reference = Scalar.createApiReference(')
    .replace(
      '</body>',
      `<script>
      const show = (organization) => organization && reference.updateConfiguration({
        ...reference.getConfiguration(),
        url: 'openapi.json?organization=' + encodeURIComponent(organization),
      });
      show(localStorage.getItem('${chosen}'));
      const logins = () => Object.entries(localStorage).filter(([key]) => key.includes('auth')).join();
      addEventListener('storage', ({ key, newValue }) => {
        if (key !== '${chosen}') return;
        // Another document would end a login that is under way.
        const before = logins();
        const waiting = setInterval(() => {
          if (logins() === before) return;
          clearInterval(waiting);
          show(newValue);
        }, 100);
      });
    </script>
  </body>`,
    );

/** On the login page: notes the organization of the button that was pressed. */
export const notingOrganization = `<script>
  addEventListener('submit', ({ submitter }) => {
    const { organization } = submitter.dataset;
    if (organization) localStorage.setItem('${chosen}', organization);
  });
</script>`;
