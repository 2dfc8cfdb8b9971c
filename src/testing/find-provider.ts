import type { ProviderName } from "./options.js";
import { whyNoDocker } from "./docker-engine.js";
import { findRedisBinary } from "./redis-binary.js";
import { RedisContainer } from "./redis-container.js";
import { RedisProcess } from "./redis-process.js";
import type { RedisProvider } from "./redis-provider.js";
import { UnavailableError } from "./unavailable-error.js";

/**
 * The provider with that name; a provider object is returned as it is.
 *
 * @throws UnavailableError `QUORATE_TESTING_NO_SERVER` when `"auto"` finds neither.
 */
export async function findProvider(wanted: ProviderName | RedisProvider): Promise<RedisProvider> {
  if (typeof wanted === "object" || typeof wanted === "function") return wanted;
  switch (wanted) {
    case "process":
      return RedisProcess;
    case "docker":
      return RedisContainer;
    case "auto":
      return whicheverWorks();
  }
}

async function whicheverWorks(): Promise<RedisProvider> {
  let noProcess: UnavailableError;
  try {
    findRedisBinary();
    return RedisProcess;
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    noProcess = error;
  }
  const noDocker = await whyNoDocker();
  if (noDocker === undefined) return RedisContainer;
  throw new UnavailableError(
    "QUORATE_TESTING_NO_SERVER",
    `${noProcess.message}; and Docker is not available: ${noDocker}`,
  );
}
