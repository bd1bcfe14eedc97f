import * as z from 'zod/mini';
import { alertFactKind } from '../billing/alerts.ts';
import { limitFactKind } from '../billing/spend-limits.ts';
import { ledgerEntry } from '../billing/stored/ledger-entry.ts';
import { limitKinds } from '../billing/stored/limits/spend-limit.ts';
import { noticeKind } from '../billing/stored/notice.ts';
import { ledgerEntryKind, toLedgerEntry } from '../billing/stored/stored-entry.ts';
import { counterKinds, limitPeriods } from '../billing/terms/limit-terms.ts';
import { starsInWallet, threshold } from '../billing/terms/stars.ts';
import { fieldFactKind } from '../fields/definition.ts';
import { fieldKey } from '../fields/values.ts';
import { historyEntry, historyEntryKind } from '../leads/history.ts';
import { noteHistoryEntryKind, noteText } from '../leads/notes/note.ts';
import { apiKeyRoles, roles } from '../operations/permissions.ts';
import { apiKeyFactKind } from '../organizations/api-keys/stored-api-key.ts';
import { memberFactKind } from '../organizations/members.ts';
import { organizationFactKind } from '../organizations/organization.ts';
import { pipelineFactKind } from '../pipelines/pipeline.ts';
import { shortName } from '../schema/fields.ts';
import type { OutboxName } from '../table/keys.ts';
import { alike, type Telling, telling } from './telling.ts';
import { webhookFactKind, webhookStatuses } from './webhook-fact.ts';

const { version, at, user_id, request_id, ...entryShape } = ledgerEntry.shape;
const { changes, merged_from, merged_into, stage_entered_at, erased } = historyEntry.shape;

/** What every change of a setting tells. */
const setting = {
  changed: z
    .array(z.string().check(z.maxLength(100)))
    .check(z.maxLength(20), z.describe('The names of the fields that are others by now.')),
};

/** What a notice tells of a spend limit. */
const ofLimit = {
  kind: z.enum(counterKinds),
  name: shortName(),
  by_default: z
    .boolean()
    .check(z.describe('Whether it is the default of spenders without their own.')),
  period: z.enum(limitPeriods),
  stars: starsInWallet(),
  used_stars: z.int().check(z.nonnegative(), z.describe('In this period, after the change.')),
  resets_at: z
    .nullable(z.iso.datetime())
    .check(z.describe('When the next period begins; null for `total`.')),
};

type LimitOfNotice = z.output<z.ZodMiniObject<typeof ofLimit>>;

const toldLimitOf = (item: LimitOfNotice): LimitOfNotice => {
  const names = Object.keys(ofLimit) as (keyof LimitOfNotice)[];
  return Object.fromEntries(names.map((name) => [name, item[name]])) as LimitOfNotice;
};

const leadLane = (ids: { organizationId: string; leadId: string }) =>
  `lead ${ids.organizationId} ${ids.leadId}`;
const walletLane = (ids: { organizationId: string }) => `wallet ${ids.organizationId}`;

// docs/decisions/facts.md
/** Every kind of fact: who may read it, its types, and what they tell. If a kind is missing here, this does not compile. */
export const tellings = {
  leads: telling(historyEntryKind, {
    permission: 'leads:read',
    types: alike(
      {
        'lead.created': 'A lead was created.',
        'lead.updated': 'A lead was changed.',
        'lead.deleted': 'A lead was deleted, or merged into another.',
        'lead.restored': 'A deleted lead came back.',
        'lead.merged': 'Another lead was merged into this one.',
        'lead.erased': 'A lead was erased: erase what you keep of it.',
      },
      { lead_id: z.uuid(), changes, merged_from, merged_into, stage_entered_at, erased },
    ),
    lane: leadLane,
    tell: (item, { leadId }) => ({
      lead_id: leadId,
      changes: item.changes,
      merged_from: item.merged_from,
      merged_into: item.merged_into,
      stage_entered_at: item.stage_entered_at,
      erased: item.erased,
    }),
  }),

  notes: telling(noteHistoryEntryKind, {
    permission: 'leads:read',
    types: alike(
      {
        'note.created': 'A note was written on a lead.',
        'note.updated': 'A note was changed.',
        'note.deleted': 'A note was deleted.',
      },
      {
        lead_id: z.uuid(),
        note_id: z.uuid(),
        text: z
          .nullable(noteText())
          .check(
            z.describe('After the change; `null` where the note was deleted, or its lead erased.'),
          ),
        erased: z
          .optional(z.literal(true))
          .check(z.describe('The lead was erased: what was written is not told any more.')),
      },
    ),
    lane: leadLane,
    tell: (item, { leadId, noteId }) => ({
      lead_id: leadId,
      note_id: noteId,
      text: item.text ?? null,
      erased: item.erased,
    }),
  }),

  wallets: telling(ledgerEntryKind, {
    permission: 'billing:read',
    types: alike(
      { 'wallet.changed': 'The wallet changed, whatever the cause.' },
      {
        entry: z
          .strictObject(entryShape)
          .check(z.describe('The ledger’s: its `type` and `event_id` are of the cause.')),
      },
    ),
    lane: walletLane,
    type: 'wallet.changed',
    tell: (item) => {
      const { version, at, user_id, request_id, ...entry } = toLedgerEntry(item);
      return { entry };
    },
  }),

  notices: telling(noticeKind, {
    permission: 'billing:read',
    types: {
      'stars.low': {
        says: 'The available stars fell to a threshold.',
        data: {
          threshold: threshold(),
          available_stars: starsInWallet().check(z.describe('After the change.')),
        },
      },
      'stars.depleted': { says: 'The last available star is gone.', data: {} },
      'spend_limit.low': {
        says: 'What was used of a spend limit rose to its alert.',
        data: { ...ofLimit, alert_at: threshold() },
      },
      'spend_limit.reached': { says: 'All of a spend limit is used.', data: ofLimit },
    },
    lane: walletLane,
    tell: (item) => {
      switch (item.type) {
        case 'stars.depleted':
          return {};
        case 'stars.low':
          return { threshold: item.threshold, available_stars: item.available_stars };
        case 'spend_limit.low':
          return { ...toldLimitOf(item), alert_at: item.alert_at };
        case 'spend_limit.reached':
          return toldLimitOf(item);
      }
    },
  }),

  organizations: telling(organizationFactKind, {
    permission: 'organization:read',
    types: alike(
      {
        'organization.created': 'The organization was made.',
        'organization.updated': 'The organization’s name, currency or request limit was changed.',
        'organization.suspended':
          'The organization was suspended: its webhooks hear of it once it is resumed.',
        'organization.resumed': 'A suspended organization is back.',
        'organization.erased':
          'The organization is being erased: erase what you keep of it. Only the bus tells it.',
      },
      setting,
    ),
    tell: ({ changed }) => ({ changed }),
  }),

  members: telling(memberFactKind, {
    permission: 'members:read',
    types: alike(
      {
        'member.added': 'A user became a member.',
        'member.updated': 'A member got another role or name.',
        'member.removed': 'A member was removed.',
      },
      {
        member_id: z.guid().check(z.describe('The user whose membership it is.')),
        role: z.nullable(z.enum(roles)).check(z.describe('`null` where the member was removed.')),
        ...setting,
      },
    ),
    tell: ({ member_role: role = null, changed }, { userId }) => ({
      member_id: userId,
      role,
      changed,
    }),
  }),

  apiKeys: telling(apiKeyFactKind, {
    permission: 'keys:read',
    types: alike(
      {
        'api_key.created': 'An API key was made.',
        'api_key.updated': 'An API key was changed, or got a new secret.',
        'api_key.revoked': 'An API key was revoked.',
      },
      { key_id: z.uuid(), role: z.enum(apiKeyRoles), ...setting },
    ),
    tell: ({ key_role: role, changed }, { keyId }) => ({ key_id: keyId, role, changed }),
  }),

  pipelines: telling(pipelineFactKind, {
    permission: 'pipelines:read',
    types: alike(
      {
        'pipeline.created': 'A pipeline was made.',
        'pipeline.updated': 'A pipeline was changed.',
      },
      { pipeline_id: z.uuid(), ...setting },
    ),
    tell: ({ changed }, { pipelineId }) => ({ pipeline_id: pipelineId, changed }),
  }),

  fields: telling(fieldFactKind, {
    permission: 'leads:read',
    types: alike(
      {
        'field.created': 'A custom field was made.',
        'field.updated': 'A custom field was changed or archived.',
      },
      { field: fieldKey(), archived: z.boolean(), ...setting },
    ),
    tell: ({ field, archived, changed }) => ({ field, archived, changed }),
  }),

  webhooks: telling(webhookFactKind, {
    permission: 'webhooks:read',
    types: alike(
      {
        'webhook.created': 'A webhook was made.',
        'webhook.updated': 'A webhook was changed.',
        'webhook.paused': 'A webhook failed too often, and is paused.',
        'webhook.resumed': 'A paused webhook is back.',
        'webhook.disabled': 'A webhook was disabled by an answer of 410, or by a restore.',
        'webhook.deleted': 'A webhook was deleted.',
      },
      {
        webhook_id: z.uuid(),
        status: z
          .nullable(z.enum(webhookStatuses))
          .check(z.describe('`null` where the webhook was deleted.')),
        ...setting,
      },
    ),
    tell: ({ status = null, changed }, { webhookId }) => ({
      webhook_id: webhookId,
      status,
      changed,
    }),
  }),

  alerts: telling(alertFactKind, {
    permission: 'billing:read',
    types: alike({ 'alerts.updated': 'The thresholds of the alerts were changed.' }, setting),
    tell: ({ changed }) => ({ changed }),
  }),

  spendLimits: telling(limitFactKind, {
    permission: 'billing:read',
    types: alike(
      {
        'spend_limit.updated': 'A spend limit was put, or changed.',
        'spend_limit.deleted': 'A spend limit was deleted.',
      },
      { kind: z.enum(limitKinds), name: shortName(), ...setting },
    ),
    tell: ({ kind, name, changed }) => ({ kind, name, changed }),
  }),
} satisfies Record<OutboxName, Telling>;
