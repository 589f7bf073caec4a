package account

import (
	"encoding/json"
	"encoding/xml"
	"net/http"

	"frontdesk/internal/local/awsform"
)

// getTopicAttributes answers with the attributes of the topic, whatever its ARN.
// https://docs.aws.amazon.com/sns/latest/api/API_GetTopicAttributes.html
func getTopicAttributes(w http.ResponseWriter, _ *http.Request, s State) {
	if s.Topic == nil {
		awsform.New(http.StatusNotFound, "NotFound", "Topic does not exist").Write(w, awsform.Query)
		return
	}
	type entry struct {
		Key   string `xml:"key"`
		Value string `xml:"value"`
	}
	var answer struct {
		XMLName xml.Name `xml:"GetTopicAttributesResponse"`
		Entries []entry  `xml:"GetTopicAttributesResult>Attributes>entry"`
	}
	for name, value := range s.Topic {
		answer.Entries = append(answer.Entries, entry{name, value})
	}
	w.Header().Set("Content-Type", "text/xml")
	xml.NewEncoder(w).Encode(answer)
}

// key finds an operation of KMS on a key.
// https://docs.aws.amazon.com/kms/latest/APIReference/API_Operations.html
func key(operation string) call {
	c := call{protocol: awsform.JSON, deniedCode: "AccessDeniedException"}
	know := func(answer func(State) any) call {
		c.action = "kms:" + operation
		c.serve = func(w http.ResponseWriter, _ *http.Request, s State) {
			if s.Key == nil {
				awsform.New(http.StatusBadRequest, "NotFoundException", "the key does not exist").Write(w, c.protocol)
				return
			}
			w.Header().Set("Content-Type", "application/x-amz-json-1.1")
			json.NewEncoder(w).Encode(answer(s))
		}
		return c
	}
	switch operation {
	case "DescribeKey":
		return know(func(s State) any { return map[string]any{"KeyMetadata": s.Key} })
	case "GetKeyPolicy":
		return know(func(s State) any { return map[string]any{"Policy": s.KeyPolicy} })
	}
	return c
}
