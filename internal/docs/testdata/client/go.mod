// What is generated from the contract is not the project's: the generator and what it needs stay here.
module client

go 1.26.0

tool github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen
