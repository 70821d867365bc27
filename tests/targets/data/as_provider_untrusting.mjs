import https from "node:https";
import { rootCertificates } from "node:tls";
const asked = https.request("https://api.anthropic.com/v1/messages", { method: "POST", ca: [...rootCertificates] });
asked.on("error", () => process.exit(3));
asked.end("{}");
