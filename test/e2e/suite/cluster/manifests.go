// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"sigs.k8s.io/yaml"
)

// collections are the API paths of the kinds that Grant applies.
var collections = map[string]string{
	"Namespace":          "/api/v1/namespaces",
	"ServiceAccount":     "/api/v1/namespaces/%s/serviceaccounts",
	"ClusterRole":        "/apis/rbac.authorization.k8s.io/v1/clusterroles",
	"ClusterRoleBinding": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
	"Role":               "/apis/rbac.authorization.k8s.io/v1/namespaces/%s/roles",
	"RoleBinding":        "/apis/rbac.authorization.k8s.io/v1/namespaces/%s/rolebindings",
}

// Grant applies the namespaces, service accounts, roles and bindings among the documents of a manifest,
// so that daemon and scheduler run under exactly the permissions that are shipped. It returns how many
// roles it applied. Where the manifest does not exist both accounts become administrators.
func (p *Plane) Grant(manifest string) (int, error) {
	text, err := os.ReadFile(manifest)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, p.Admin.Apply(collections["ClusterRoleBinding"]+"/e2e-without-manifest", []byte(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: e2e-without-manifest}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects:
- {kind: ServiceAccount, namespace: sakkara, name: sakkara}
- {kind: ServiceAccount, namespace: sakkara, name: sakkara-scheduler}
`))
	}
	if err != nil {
		return 0, err
	}
	roles := 0
	for i, document := range Documents(text) {
		var object struct {
			Kind     string
			Metadata Meta
		}
		if err := yaml.Unmarshal(document, &object); err != nil {
			return 0, fmt.Errorf("%s, document %d: %w", manifest, i+1, err)
		}
		path, wanted := collections[object.Kind]
		if !wanted {
			continue
		}
		if object.Metadata.Namespace != "" {
			path = fmt.Sprintf(path, object.Metadata.Namespace)
		}
		if err := p.Admin.Apply(path+"/"+object.Metadata.Name, document); err != nil {
			return 0, fmt.Errorf("%s, document %d: %w", manifest, i+1, err)
		}
		if object.Kind == "ClusterRole" || object.Kind == "Role" {
			roles++
		}
	}
	if roles == 0 {
		return 0, fmt.Errorf("%s holds no role", manifest)
	}
	return roles, nil
}

// Documents splits a YAML stream; documents without content are left out.
func Documents(text []byte) [][]byte {
	var documents [][]byte
	for _, document := range bytes.Split(append([]byte("\n"), text...), []byte("\n---")) {
		var content any
		if err := yaml.Unmarshal(document, &content); err != nil || content != nil {
			documents = append(documents, document)
		}
	}
	return documents
}
