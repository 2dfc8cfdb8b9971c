// npm run trip: compiles the program that counts what a request passes, and runs it. See bench/trip/trip.ts.
import { launch } from "./launch.mjs";

await launch("bench/trip", "trip");
