import { whyNoDocker } from "../../src/testing/docker-engine.js";

/**
 * Why the tests with Docker cannot run here, or undefined if they can. Who set up the run may
 * know more: an engine without any image is of no use either.
 */
export const noDocker: string | undefined =
  process.env["QUORATE_NO_DOCKER"] || (await whyNoDocker());
