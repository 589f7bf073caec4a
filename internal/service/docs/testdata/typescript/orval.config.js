// orval's client has the address of the API built in.
module.exports = {
  frontdesk: {
    input: "openapi.json",
    output: { target: "generated/orval.ts", client: "fetch", baseUrl: process.env.BASE_URL },
  },
};
