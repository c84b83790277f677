package signin

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
)

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// anthropic answers for Anthropic's servers; mu is held.
func (v *vendors) anthropic(host string, w http.ResponseWriter, r *http.Request, body []byte) bool {
	switch host + r.URL.Path {
	case "platform.claude.com/v1/oauth/token":
		var in struct {
			Code string `json:"code"`
		}
		_ = json.Unmarshal(body, &in)
		if v.refuse != 0 || in.Code != v.goodCode {
			status := v.refuse
			if status == 0 {
				status = http.StatusBadRequest
			}
			reply(w, status, map[string]any{"error": "invalid_grant", "error_description": "Invalid 'code'"})
			return true
		}
		v.exchanged++
		reply(w, http.StatusOK, map[string]any{
			"token_type": "Bearer", "access_token": "sk-ant-oat01-" + secretToken, "refresh_token": "sk-ant-ort01-" + secretToken,
			"expires_in": 28800, "scope": "user:inference user:profile user:sessions:claude_code user:mcp_servers user:file_upload",
			"account":      map[string]any{"uuid": "acc-1", "email_address": v.email},
			"organization": map[string]any{"uuid": "org-1", "name": "Lab"},
		})
	case "api.anthropic.com/api/oauth/profile":
		reply(w, http.StatusOK, map[string]any{
			"account":      map[string]any{"uuid": "acc-1", "email": v.email, "display_name": "Lab", "created_at": "2024-01-01T00:00:00Z"},
			"organization": map[string]any{"uuid": "org-1", "name": "Lab", "organization_type": "claude_max", "rate_limit_tier": "default_claude_max_5x", "billing_type": "stripe_subscription"},
		})
	case "api.anthropic.com/v1/models":
		v.list(w, r.Header.Get("X-Api-Key"), "claude-x")
	case "api.anthropic.com/api/oauth/claude_cli/roles":
		reply(w, http.StatusOK, map[string]any{"organization_role": "admin", "workspace_role": nil, "organization_name": "Lab"})
	default:
		return false
	}
	return true
}

// openAI answers for OpenAI's servers; mu is held.
func (v *vendors) openAI(host string, w http.ResponseWriter, r *http.Request) bool {
	switch host + r.URL.Path {
	case "auth.openai.com/api/accounts/deviceauth/usercode":
		if v.noDevice {
			w.WriteHeader(http.StatusNotFound)
			return true
		}
		reply(w, http.StatusOK, map[string]any{"device_auth_id": "dev-1", "user_code": "ABCD-1234", "interval": "1"})
	case "auth.openai.com/api/accounts/deviceauth/token":
		if !v.approved {
			w.WriteHeader(http.StatusForbidden)
			return true
		}
		reply(w, http.StatusOK, map[string]any{"authorization_code": "code-1", "code_challenge": "c", "code_verifier": "v"})
	case "auth.openai.com/oauth/token":
		if v.refuse != 0 {
			reply(w, v.refuse, map[string]any{"error": "access_denied"})
			return true
		}
		v.exchanged++
		reply(w, http.StatusOK, map[string]any{
			"id_token": v.jwt(), "access_token": v.jwt(), "refresh_token": "rt-" + secretToken, "token_type": "Bearer", "expires_in": 86400,
		})
	case "chatgpt.com/backend-api/wham/accounts/check":
		reply(w, http.StatusOK, map[string]any{
			"default_account_id": "acct-lab", "account_ordering": []string{"acct-lab"},
			"accounts": []any{map[string]any{
				"id": "acct-lab", "name": "Lab", "structure": "personal", "plan_type": "plus", "can_access_with_session": true, "is_deactivated": false,
				"is_fedramp_compliant_workspace": false, "workspace_backend_origin": "https://chatgpt.com", "account_routing_override": "NO_CONSTRAINT",
			}},
		})
	case "chatgpt.com/backend-api/codex/models":
		reply(w, http.StatusOK, map[string]any{"models": []any{}})
	case "api.openai.com/v1/models":
		v.list(w, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), "gpt-x")
	case "auth.openai.com/oauth/revoke":
		w.WriteHeader(http.StatusOK)
	default:
		return false
	}
	return true
}

// list names one model to who shows the good key.
func (v *vendors) list(w http.ResponseWriter, key, model string) {
	if key != goodKey {
		reply(w, http.StatusUnauthorized, map[string]any{"error": "invalid key " + key})
		return
	}
	reply(w, http.StatusOK, map[string]any{"data": []any{map[string]any{"id": model}}})
}

func (v *vendors) jwt() string {
	claims := map[string]any{
		"email": v.email, "exp": 1900000000, "jti": secretToken,
		"https://api.openai.com/auth":    map[string]any{"chatgpt_plan_type": "plus", "chatgpt_user_id": "user-lab", "chatgpt_account_id": "acct-lab"},
		"https://api.openai.com/profile": map[string]any{"email": v.email},
	}
	raw, _ := json.Marshal(claims)
	enc := base64.RawURLEncoding.EncodeToString
	return strings.Join([]string{enc([]byte(`{"alg":"none","typ":"JWT"}`)), enc(raw), enc([]byte("sig"))}, ".")
}
