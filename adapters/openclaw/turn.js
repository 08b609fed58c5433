// What memory does in a turn: recalled before the prompt is built, stored when the turn has succeeded.
//
// Rule: no failure of memory ends or changes a turn. It is logged by its code, and the turn goes on without.

import { isOfAPerson, scopeOf } from "./scope.js";

/** The hook ``before_prompt_build``: text beside this turn's prompt, which the host keeps out of the transcript. */
export function recallBefore(servers, config, logger) {
  return async (event, context = {}) => {
    const query = event.currentUserMessage ?? event.prompt ?? "";
    const scope = isOfAPerson(context) ? scopeOf(config, context) : undefined;
    if (!scope || !query.trim()) return undefined;
    try {
      const recalled = await servers.call(scope, "memory_recall_decision", { query });
      context.hookInvocation?.assertActive();
      return recalled.context ? { prependContext: recalled.context } : undefined;
    } catch (error) {
      logger.warn(`atmem: recall failed (${error.code ?? error.name})`);
      return undefined;
    }
  };
}

/** The hook ``agent_end``. */
export function storeAfter(servers, config, logger) {
  return async (event, context = {}) => {
    if (config.capture === "off" || !event.success || !isOfAPerson(context)) return;
    const scope = scopeOf(config, context);
    const turn = saidIn(event.messages ?? []);
    if (!scope || !turn.user.trim()) return;
    const session = context.sessionId ?? context.sessionKey;
    const args = { user: turn.user, ...(session ? { session } : {}), ...keyOf(context) };
    if (config.capture === "turn" && turn.assistant.trim()) args.assistant = turn.assistant;
    try {
      await servers.call(scope, "memory_finish_turn", args);
    } catch (error) {
      logger.warn(`atmem: the turn was not stored (${error.code ?? error.name})`);
    }
  };
}

/** What the user said last, and what was answered to it. */
export function saidIn(messages) {
  const place = messages.findLastIndex((message) => message?.role === "user");
  if (place < 0) return { user: "", assistant: "" };
  const answers = messages.slice(place + 1).filter((message) => message?.role === "assistant");
  return { user: textOf(messages[place]), assistant: answers.map(textOf).filter(Boolean).join("\n") };
}

function textOf(message) {
  if (typeof message.content === "string") return message.content;
  const parts = Array.isArray(message.content) ? message.content : [];
  return parts
    .filter((part) => part?.type === "text" && typeof part.text === "string")
    .map((part) => part.text)
    .join("\n");
}

/** A run's turn is stored once, however often the host tells of it. */
function keyOf(context) {
  return context.runId ? { key: `${context.sessionId ?? context.sessionKey ?? ""}/${context.runId}` } : {};
}
