// Whose memory a turn is about. Built from what the host says, never from what a model or a message does.
//
// Rule: a turn that no person started, of an agent that is switched off, or of a sender nobody named has no memory.

/** The subject and the agent of a turn; undefined for no memory at all. */
export function scopeOf(config, context = {}) {
  const agent = context.agentId;
  if (!agent && !config.shareAcrossAgents) return undefined;
  if (config.offForAgents.includes(agent)) return undefined;
  const sender = context.senderId ?? context.requesterSenderId;
  const subject = sender == null || sender === "" ? config.subject : subjectOf(config, context, sender);
  if (!subject) return undefined;
  return { subject, agent: config.shareAcrossAgents ? undefined : agent };
}

/** Whether a person began the turn. Scheduled runs, heartbeats, and what agents and tools send are none. */
export function isOfAPerson(context = {}) {
  const origin = context.inputProvenance?.kind ?? "external_user";
  const started = /(^|:)(subagent|cron|heartbeat)(:|$)/.test(context.sessionKey ?? "");
  return (context.trigger ?? "user") === "user" && origin === "external_user" && !started;
}

function subjectOf(config, context, sender) {
  const provider = context.messageProvider ?? context.messageChannel ?? "";
  const name = `${provider}:${sender}`;
  return Object.hasOwn(config.senders, name) ? config.senders[name] : undefined;
}
