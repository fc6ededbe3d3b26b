package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

type event struct {
	ToolName  string `json:"tool_name"`
	ToolInput struct {
		Command string `json:"command"`
	} `json:"tool_input"`
}

func main() {
	var e event
	if err := json.NewDecoder(os.Stdin).Decode(&e); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if strings.Contains(e.ToolInput.Command, "rm -rf") {
		fmt.Fprintln(os.Stderr, "rm -rf is blocked")
		os.Exit(2)
	}
}
