// Made by npm run openapi, of the tools and their operations.

/** JSON Schemas of what tools take. */
export const argumentSchemas: Record<string, object> = {
  "whoami": {
    "type": "object",
    "properties": {
      "show": {
        "type": "string",
        "enum": [
          "pipelines",
          "fields",
          "members"
        ],
        "description": "Only this list."
      },
      "skip": {
        "type": "integer",
        "minimum": 0,
        "maximum": 9007199254740991,
        "description": "Entries of it to skip."
      }
    },
    "additionalProperties": false
  },
  "find_leads": {
    "type": "object",
    "properties": {
      "q": {
        "type": "string",
        "maxLength": 200,
        "description": "Words, or beginnings of words."
      },
      "limit": {
        "type": "integer",
        "minimum": 1,
        "maximum": 20,
        "description": "10 by default."
      },
      "pipeline_id": {
        "type": "string",
        "format": "uuid"
      },
      "stage": {
        "type": "array",
        "items": {
          "type": "string",
          "maxLength": 50
        },
        "description": "In one of these stages."
      },
      "owner_id": {
        "type": "string",
        "anyOf": [
          {
            "type": "string",
            "enum": [
              "me",
              "none"
            ]
          },
          {
            "type": "string",
            "format": "uuid"
          }
        ],
        "description": "A member’s user_id, or `none`: without an owner. `me` is for users, not for API keys."
      },
      "external_id": {
        "type": "string",
        "maxLength": 200,
        "description": "Just this one."
      },
      "email": {
        "anyOf": [
          {
            "type": "string",
            "maxLength": 254,
            "format": "email"
          },
          {
            "type": "string",
            "const": "none"
          }
        ],
        "description": "Just this one, in any case of letters, or `none`: without one."
      },
      "phone": {
        "anyOf": [
          {
            "type": "string"
          },
          {
            "type": "string",
            "const": "none"
          }
        ],
        "description": "Just this one, such as +5511987654321, or `none`: without one."
      },
      "next_step_at": {
        "type": "string",
        "enum": [
          "none"
        ],
        "description": "`none`: without a next step."
      },
      "value_cents": {
        "type": "string",
        "enum": [
          "none"
        ],
        "description": "`none`: without a value."
      },
      "tag": {
        "type": "array",
        "items": {
          "type": "string",
          "maxLength": 50
        },
        "description": "With all of these tags."
      },
      "fields": {
        "type": "object",
        "additionalProperties": {
          "type": "string",
          "maxLength": 500
        },
        "description": "By custom fields that are filterable, such as {\"source\": \"google\"}."
      },
      "outcome": {
        "type": "string",
        "enum": [
          "open",
          "won",
          "lost"
        ],
        "description": "In a stage of this outcome."
      },
      "created_from": {
        "type": "string",
        "format": "date-time",
        "description": "Created then or later."
      },
      "created_to": {
        "type": "string",
        "format": "date-time",
        "description": "Created before then."
      },
      "updated_from": {
        "type": "string",
        "format": "date-time",
        "description": "Last changed then or later."
      },
      "updated_to": {
        "type": "string",
        "format": "date-time",
        "description": "Not changed from then on: last changed before."
      },
      "stage_entered_from": {
        "type": "string",
        "format": "date-time",
        "description": "In the stage since then or later."
      },
      "stage_entered_to": {
        "type": "string",
        "format": "date-time",
        "description": "In the stage since before then."
      },
      "next_step_from": {
        "type": "string",
        "format": "date-time",
        "description": "The next step is due then or later."
      },
      "next_step_to": {
        "type": "string",
        "format": "date-time",
        "description": "The next step is due before then."
      },
      "value_from": {
        "type": "integer",
        "minimum": 0,
        "maximum": 9007199254740991,
        "description": "In cents: 10,000 or more is 1000000."
      },
      "value_to": {
        "type": "integer",
        "minimum": 0,
        "maximum": 9007199254740991,
        "description": "In cents, less than this."
      },
      "cursor": {
        "type": "string",
        "maxLength": 204,
        "description": "`next_cursor` of the page before, with the same filters."
      },
      "sort": {
        "type": "string",
        "enum": [
          "-created_at",
          "created_at",
          "-updated_at",
          "updated_at",
          "-value_cents",
          "value_cents",
          "-next_step_at",
          "next_step_at"
        ],
        "description": "Ascending, or with `-` descending. Only leads that have the field are listed. Needs `owner_id`, unless the other filters leave 1,000 leads or fewer: `next_step_at`."
      }
    },
    "additionalProperties": false
  },
  "get_lead": {
    "type": "object",
    "properties": {
      "lead_id": {
        "type": "string",
        "format": "uuid"
      },
      "notes_cursor": {
        "type": "string",
        "maxLength": 204
      },
      "history_cursor": {
        "type": "string",
        "maxLength": 204
      },
      "text_from": {
        "type": "integer",
        "minimum": 0,
        "maximum": 9007199254740991
      }
    },
    "required": [
      "lead_id"
    ],
    "additionalProperties": false
  },
  "save_lead": {
    "type": "object",
    "properties": {
      "lead_id": {
        "type": "string",
        "format": "uuid",
        "description": "The lead to change."
      },
      "match": {
        "type": "string",
        "enum": [
          "external_id",
          "email",
          "phone"
        ],
        "description": "The field to find the lead by: give it, too. Email or phone only where the pipeline has it in `unique_contact`."
      },
      "move": {
        "type": "boolean",
        "description": "Whether a lead that external_id finds in another pipeline moves to this one. Else it stays, and `stage` is left out."
      },
      "contact_name": {
        "type": "string",
        "maxLength": 200
      },
      "company_name": {
        "anyOf": [
          {
            "type": "string",
            "maxLength": 200
          },
          {
            "type": "null"
          }
        ]
      },
      "email": {
        "anyOf": [
          {
            "type": "string",
            "maxLength": 254,
            "format": "email"
          },
          {
            "type": "null"
          }
        ]
      },
      "phone": {
        "anyOf": [
          {
            "type": "string"
          },
          {
            "type": "null"
          }
        ],
        "description": "In E.164 form, such as +5511987654321."
      },
      "external_id": {
        "anyOf": [
          {
            "type": "string",
            "maxLength": 200
          },
          {
            "type": "null"
          }
        ],
        "description": "What another system calls it. No two leads of the organization share one."
      },
      "pipeline_id": {
        "type": "string",
        "format": "uuid"
      },
      "stage": {
        "type": "string",
        "maxLength": 50,
        "description": "A stage of the pipeline, as whoami writes it."
      },
      "owner_id": {
        "anyOf": [
          {
            "type": "string",
            "format": "uuid"
          },
          {
            "type": "null"
          }
        ],
        "description": "A member’s user_id."
      },
      "tags": {
        "anyOf": [
          {
            "type": "array",
            "items": {
              "type": "string",
              "maxLength": 50
            },
            "uniqueItems": true
          },
          {
            "type": "null"
          }
        ],
        "description": "They replace all that the lead has."
      },
      "value_cents": {
        "anyOf": [
          {
            "type": "integer",
            "minimum": 0,
            "maximum": 9007199254740991
          },
          {
            "type": "null"
          }
        ],
        "description": "Potential value in cents of the organization’s currency."
      },
      "next_step_at": {
        "anyOf": [
          {
            "type": "string",
            "format": "date-time"
          },
          {
            "type": "null"
          }
        ],
        "description": "When it is due, such as 2026-11-21T10:00:00-03:00."
      },
      "next_step": {
        "anyOf": [
          {
            "type": "string",
            "maxLength": 200
          },
          {
            "type": "null"
          }
        ],
        "description": "What has to be done next."
      },
      "fields": {
        "anyOf": [
          {
            "type": "object",
            "additionalProperties": {
              "anyOf": [
                {
                  "anyOf": [
                    {
                      "type": "string",
                      "maxLength": 2000
                    },
                    {
                      "type": "number"
                    },
                    {
                      "type": "boolean"
                    },
                    {
                      "type": "array",
                      "items": {
                        "type": "string",
                        "maxLength": 50
                      }
                    }
                  ]
                },
                {
                  "type": "null"
                }
              ]
            }
          },
          {
            "type": "null"
          }
        ],
        "description": "Custom fields by the keys that whoami tells. The others stay."
      }
    },
    "additionalProperties": false
  },
  "add_note": {
    "type": "object",
    "properties": {
      "lead_id": {
        "type": "string",
        "format": "uuid"
      },
      "text": {
        "type": "string",
        "maxLength": 10000
      }
    },
    "required": [
      "lead_id",
      "text"
    ],
    "additionalProperties": false
  },
  "pipeline_summary": {
    "type": "object",
    "properties": {
      "pipeline_id": {
        "type": "string",
        "format": "uuid"
      }
    },
    "required": [
      "pipeline_id"
    ],
    "additionalProperties": false
  },
  "balance": {
    "type": "object",
    "properties": {
      "at": {
        "type": "string",
        "format": "date-time",
        "description": "A moment in the past. Now, if it is left out."
      }
    },
    "additionalProperties": false
  },
  "spend_stars": {
    "type": "object",
    "properties": {
      "job": {
        "type": "string",
        "description": "Your name for the work that is paid, such as enrich-4711."
      },
      "stars": {
        "type": "integer",
        "minimum": 1,
        "maximum": 1000000000000
      },
      "reason": {
        "type": "string",
        "maxLength": 200
      },
      "feature": {
        "type": "string",
        "description": "What the stars are for: usage counts by it."
      },
      "spender": {
        "type": "string",
        "description": "Who uses them. Leave it out where whoami tells your own."
      },
      "not_after": {
        "type": "string",
        "format": "date-time",
        "description": "Later than this, nothing is spent. A repeat may have another."
      }
    },
    "required": [
      "job",
      "stars"
    ],
    "additionalProperties": false
  },
  "usage": {
    "type": "object",
    "properties": {
      "cursor": {
        "type": "string",
        "maxLength": 204,
        "description": "`next_cursor` of the page before, with the same filters."
      },
      "from": {
        "type": "string",
        "format": "date",
        "description": "The first day, in UTC; by default, the first of `to`’s month."
      },
      "to": {
        "type": "string",
        "format": "date",
        "description": "The last day, in UTC: at most 366 with the first. By default, today."
      },
      "group_by": {
        "type": "string",
        "enum": [
          "day",
          "feature",
          "spender"
        ],
        "description": "`day` by default."
      }
    },
    "additionalProperties": false
  }
};
